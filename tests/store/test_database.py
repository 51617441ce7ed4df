"""A store that vanishes, fills up, is locked or breaks raises an error at once, and recovers by itself."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path
from threading import Thread

import pytest

from prunus import Pruner, Settings
from prunus.store import NoStore, Store, StoreError, open_store
from prunus.store.sql.migrations import MIGRATIONS
from prunus.store.sqlite.database import Database
from tests.store.samples import exchange, links, memo, recalled, receipt

Reopen = Callable[..., Store]
posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and locks of POSIX")


def modes(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}


@posix
def test_only_the_owner_may_read_the_store(store: Store, path: Path) -> None:
    before = os.umask(0)
    try:
        store.record("", exchange(), [receipt("aaaaaa")])
    finally:
        os.umask(before)
    assert modes(path.parent) == {"prunus.db": 0o600, "prunus.db-wal": 0o600, "prunus.db-shm": 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@posix
def test_opening_a_readable_store_restricts_it_to_the_owner(store: Store, path: Path, reopen: Reopen) -> None:
    store.record("", exchange())
    for file in path.parent.iterdir():
        file.chmod(0o644)
    reopen().record("", exchange(request=2))
    assert set(modes(path.parent).values()) == {0o600}


def test_a_deleted_store_is_created_again(store: Store, path: Path) -> None:
    store.record("", exchange(), [receipt("aaaaaa")])
    path.unlink()
    store.record("", exchange(request=2), [receipt("bbbbbb")])
    assert [kept.id for kept in store.receipts("")] == ["bbbbbb"]
    assert path.exists()


def test_a_deleted_directory_is_created_again(store: Store, path: Path) -> None:
    memory = store.memory("")
    memory.keep(memo("c1", 2), links(2), {})
    shutil.rmtree(path.parent)
    assert not memory.find(links(2))
    memory.keep(memo("c1", 4), links(4), {})
    assert memory.find(links(4))


def test_a_cached_ledger_is_stale_after_the_store_was_deleted(store: Store, path: Path) -> None:
    from tests.store.samples import edit

    memory, kept = store.memory(""), memo("c1", 2, (edit(2),))
    memory.keep(kept, links(2), {})
    path.unlink()
    memory.keep(kept, links(2), {})
    assert recalled(store.memory(""), links(2)) == (kept, 2)


@pytest.fixture
def lock(store: Store, path: Path) -> Iterator[sqlite3.Connection]:
    """Another process holds the store."""
    store.record("", exchange(), [receipt("aaaaaa")])
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


def test_a_locked_store_fails_writes_quickly_and_allows_reads(store: Store, lock: sqlite3.Connection) -> None:
    for _ in range(20):
        with pytest.raises(StoreError, match="locked by another process"):
            store.record("", exchange(request=2))
    assert [kept.id for kept in store.receipts("")] == ["aaaaaa"]
    lock.execute("ROLLBACK")
    store.record("", exchange(request=2))
    assert store.totals("").requests == 2


def test_a_store_that_was_locked_before_it_was_opened_is_waited_for_only_once(path: Path, reopen: Reopen) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        store, begun = reopen(wait=1.0), time.monotonic()
        for request in range(4):
            with pytest.raises(StoreError, match="locked by another process"):
                store.record("", exchange(request=request))
            with pytest.raises(StoreError, match="locked by another process"):
                store.totals("")
        # Waiting at each of the eight calls would take eight seconds.
        assert time.monotonic() - begun < 5.0
        other.execute("ROLLBACK")
    store.record("", exchange())
    assert store.totals("").requests == 1


def test_a_write_waits_for_a_lock_that_is_released_in_time(reopen: Reopen, path: Path) -> None:
    store = reopen(wait=10.0)
    store.record("", exchange())
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = Thread(target=lambda: (time.sleep(0.05), other.execute("ROLLBACK")))
        release.start()
        store.record("", exchange(request=2))
        release.join()
    assert store.totals("").requests == 2


def test_a_pruner_works_on_without_its_store(store: Store, lock: sqlite3.Connection) -> None:
    from tests.store.test_memory import requests

    heard: list[StoreError] = []
    settings = Settings(schedule="eager")
    steady, pruner = Pruner(settings), Pruner(settings, store.memory("", heard.append))
    for n, body in enumerate(requests(6)):
        out = pruner.prune(body, now=10.0 * n)
        assert out.error is None
        assert out.body == steady.prune(body, now=10.0 * n).body
    assert len(heard) == 6


def test_without_a_trouble_callback_the_request_is_sent_unchanged(store: Store, lock: sqlite3.Connection) -> None:
    from tests.store.test_memory import requests

    body = requests(6)[-1]
    out = Pruner(Settings(schedule="eager"), store.memory("")).prune(body)
    assert out.body == body
    assert out.error is not None
    assert "locked" in out.error


def test_a_full_store_raises_an_error_and_keeps_its_data(store: Store, path: Path) -> None:
    store.record("", exchange(), [receipt("aaaaaa")])
    database = Database(path)
    full = database.write(lambda connection: connection.execute("PRAGMA max_page_count=1").fetchone())
    assert full
    with pytest.raises(StoreError, match="is full"):
        database.write(
            lambda connection: connection.execute(
                "INSERT INTO hidden (tenant, key, value, seen) VALUES ('', 'k', zeroblob(1000000), 0)"
            )
        )
    database.close()
    assert [kept.id for kept in store.receipts("")] == ["aaaaaa"]
    assert store.hidden("", ["k"]) == {}


FULL = """
import resource, sys
from prunus.store import StoreError, open_store
from tests.store.samples import exchange, receipt
store = open_store(sys.argv[1])
store.record("", exchange(), [receipt("aaaaaa", 999)])
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
failed = 0
for n in range(60):
    try:
        store.record("", exchange(request=n), [receipt("bbbbbb", n, str([n * k for k in range(9000)]))])
    except StoreError as error:
        failed += 1
        assert "prunus.db" in str(error)
assert failed, "it never got full"
assert "aaaaaa" in {kept.id for kept in store.receipts("")}
store.close()
"""


def run(script: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{script}", *args]
    return subprocess.run(command, capture_output=True, text=True)


@posix
def test_the_store_survives_a_full_disk(path: Path, reopen: Reopen) -> None:
    done = run(FULL, f"sqlite:///{path}")
    assert done.returncode == 0, done.stderr
    store = reopen()
    assert store.find("", "aaaaaa")
    store.record("", exchange(request=99), [receipt("cccccc", 99)])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@posix
@pytest.mark.parametrize("closed", ["file", "directory", "both"])
def test_a_read_only_store_raises_an_error(store: Store, path: Path, closed: str) -> None:
    store.record("", exchange(), [receipt("aaaaaa")])
    store.close()
    if closed in ("file", "both"):
        path.chmod(0o400)
    if closed in ("directory", "both"):
        path.parent.chmod(0o500)
    try:
        with ordinary_user(path), pytest.raises(StoreError, match=str(path)):
            store.record("", exchange(request=2))
    finally:
        path.parent.chmod(0o700)


@contextmanager
def ordinary_user(path: Path) -> Iterator[None]:
    """Drop the rights of root, which may write everywhere, and become the owner of the file."""
    if os.getuid():
        yield
        return
    before = {parent: stat.S_IMODE(parent.stat().st_mode) for parent in path.parents[1:-1]}
    for parent in before:
        parent.chmod(0o755)
    for owned in (path, path.parent):
        shutil.chown(owned, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        for parent, mode in before.items():
            parent.chmod(mode)


LETTER = b"not a database at all, but a letter to aunt Frieda " * 99


def test_a_damaged_store_is_renamed_and_a_new_one_is_created(
    path: Path, reopen: Reopen, caplog: pytest.LogCaptureFixture
) -> None:
    first = reopen()
    first.record("", exchange())
    content = path.read_bytes()[:100] + b"junk" * 200
    first.close()
    path.write_bytes(content)
    store = reopen()
    store.record("", exchange(), [receipt("aaaaaa")])
    assert [kept.id for kept in store.receipts("")] == ["aaaaaa"]
    [aside] = path.parent.glob("prunus.db.damaged-*")
    assert aside.read_bytes() == content
    [sentence] = caplog.messages
    assert str(path) in sentence
    assert aside.name in sentence


def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, reopen: Reopen) -> None:
    path.parent.mkdir()
    path.write_bytes(LETTER)
    path.chmod(0o644)
    with pytest.raises(StoreError, match="is not a database; it was left as it is"):
        reopen()
    assert path.read_bytes() == LETTER
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [file.name for file in path.parent.iterdir()] == ["prunus.db"]


@pytest.mark.parametrize("content", [LETTER, b"SQLite format 3\0junk", b"SQLite format 3\0" + b"junk" * 999])
def test_a_file_that_takes_the_place_of_a_store_is_left_alone(path: Path, content: bytes, reopen: Reopen) -> None:
    store = reopen()
    store.record("", exchange())
    for file in path.parent.iterdir():
        file.unlink()
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is not a database"):
        store.record("", exchange())
    assert path.read_bytes() == content
    assert list(path.parent.glob("*damaged*")) == []


def test_any_damaged_file_in_our_data_directory_is_renamed(
    path: Path, reopen: Reopen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prunus.store.url.default_path", lambda: path)
    path.parent.mkdir()
    path.write_bytes(LETTER)
    store = open_store("")
    store.record("", exchange())
    store.close()
    [aside] = path.parent.glob("prunus.db.damaged-*")
    assert aside.read_bytes() == LETTER


def test_a_file_that_is_damaged_while_in_use_is_replaced(
    path: Path, reopen: Reopen, caplog: pytest.LogCaptureFixture
) -> None:
    store = reopen()
    for n in range(40):
        store.record("", exchange(request=n), [receipt(f"{n:06x}", n, f"{n}" * 3_000)])
    store.close()
    damaged = bytearray(path.read_bytes())
    damaged[4096:] = b"\xa5" * (len(damaged) - 4096)
    path.write_bytes(damaged)
    store.record("", exchange(), [receipt("aaaaaa")])
    assert [kept.id for kept in store.receipts("")] == ["aaaaaa"]
    assert len(caplog.messages) == 1
    assert len(list(path.parent.glob("prunus.db.damaged-*"))) == 1


def test_opening_an_existing_store_for_reading_changes_nothing(path: Path, reopen: Reopen) -> None:
    with pytest.raises(NoStore):
        reopen(existing=True).sessions("")
    assert not path.parent.exists()
    path.parent.mkdir()
    path.write_bytes(b"a letter" * 1_000)
    path.chmod(0o644)
    with pytest.raises(StoreError, match="is not a database"):
        reopen(existing=True).sessions("")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [file.name for file in path.parent.iterdir()] == ["prunus.db"]


def test_a_database_of_another_program_is_left_alone(path: Path, reopen: Reopen) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE recipes (title TEXT)")
    path.chmod(0o644)
    content = path.read_bytes()
    with pytest.raises(StoreError, match="database of another program"):
        reopen().record("", exchange())
    assert path.read_bytes() == content
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_an_older_store_is_migrated(store: Store, path: Path) -> None:
    store.record("", exchange(), [receipt("aaaaaa")])
    store.close()
    later = (*MIGRATIONS, ("ALTER TABLE receipts ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",))
    database = Database(path, migrations=later)
    query = "SELECT id, colour, (SELECT user_version FROM pragma_user_version) FROM receipts"
    rows = database.read(lambda connection: connection.execute(query).fetchall())
    assert rows == [("aaaaaa", "red", len(later))]
    database.close()
    with pytest.raises(StoreError, match=f"newer Prunus .version {len(later)}, this one knows {len(MIGRATIONS)}"):
        store.receipts("")


def test_migration_removes_hidden_exchanges_without_a_conversation(path: Path) -> None:
    older = Database(path, migrations=MIGRATIONS[:2])
    row = "INSERT INTO hidden (tenant, key, value, seen) VALUES ('', 'call:toolu_000000000001', x'7b7d', 1)"
    older.write(lambda connection: connection.execute(row))
    older.close()
    newer = Database(path)
    assert newer.read(lambda connection: connection.execute("SELECT * FROM hidden").fetchall()) == []
    newer.close()


def test_a_failed_migration_leaves_the_store_unchanged(store: Store, path: Path) -> None:
    store.record("", exchange(), [receipt("aaaaaa")])
    broken = Database(path, migrations=(*MIGRATIONS, ("DROP TABLE receipts", "not SQL")))
    with pytest.raises(StoreError, match="syntax error"):
        broken.read(lambda connection: None)
    assert [kept.id for kept in store.receipts("")] == ["aaaaaa"]


def write_some(url: str, who: str) -> None:
    store = open_store(url, wait=30.0)
    for n in range(25):
        store.record("", exchange(who, n), [receipt(f"{n:06x}", n)])
    store.close()


@pytest.mark.receipts
def test_threads_and_processes_write_at_the_same_time(store_url: str, reopen: Reopen) -> None:
    process = get_context("spawn").Process(target=write_some, args=(store_url, "p"))
    threads = [Thread(target=write_some, args=(store_url, f"t{n}")) for n in range(4)]
    for one in (process, *threads):
        one.start()
    for one in (process, *threads):
        one.join()
    assert process.exitcode == 0
    totals = reopen().totals("")
    assert (totals.requests, totals.conversations) == (125, 5)
    assert totals.strategies["repeated_reads"].count == 125


FORK = """
import os, sys
from prunus.store import open_store
from tests.store.samples import exchange
store = open_store(sys.argv[1], wait=30)
store.record("", exchange())
child = os.fork()
store.record("", exchange(request=2, id="child" if not child else "parent"))
if not child:
    store.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
store.record("", exchange(request=3))
assert store.experiences("")["claude"].requests == 4
"""


@posix
def test_a_forked_process_opens_the_store_itself(store_url: str) -> None:
    done = run(FORK, store_url)
    assert done.returncode == 0, done.stderr
