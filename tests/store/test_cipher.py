"""With `store.key`, no word of a conversation is in the bytes of the store, and only the key brings them back."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from prunus import Pruner, Settings
from prunus.edits import Note
from prunus.errors import SettingsError
from prunus.schedule.ledger import Written
from prunus.store import Store, StoreError, open_store
from prunus.store.cipher import Cipher, WrongKey, read_keys
from tests.recorded.prefix import settings as recorded_settings
from tests.store.postgres_server import PostgresServer
from tests.store.redis_server import RedisServer
from tests.store.samples import edit, exchange, links, memo, receipt
from tests.store.test_memory import requests
from tests.store.test_restart import AGENTS, CHEAP
from tests.store.test_restart import requests as recorded_requests

pytest.importorskip("cryptography")

ONE, TWO = (b64encode(bytes([n]) * 32).decode() for n in (1, 2))
WORD = "Mirabellenkuchen"
"""A word that every text of the conversations below contains."""

Reopen = Callable[..., Store]


def with_key(*keys: str, **more: object) -> Settings:
    return Settings(store={"key": list(keys), **more})


def fill(store: Store, depth: int = 6) -> None:
    """Write the word wherever a store keeps a text."""
    change = replace(edit(2), replacement=Note(f"[{WORD}]"), reason=WORD)
    kept = memo("c1", depth, (change,))
    kept = replace(kept, ledger=replace(kept.ledger, commands=((2, WORD),)))
    store.memory("anna").keep(kept, links(depth), {2: Written(b"key", WORD.encode())})
    cut = receipt("aaaaaa", original=f"{WORD} " * 50)
    cut = replace(cut, edit=replace(cut.edit, reason=WORD))
    for number in (1, 2):
        store.record("anna", exchange("c1", number, error=f"OSError: {WORD}", project=f"/srv/{WORD}"), [cut])
    store.save_hidden("anna", "k", WORD.encode())


def read(store: Store) -> list[str]:
    """Read every text that `fill` wrote."""
    memory = store.memory("anna")
    kept = memory.load("c1")
    assert kept is not None
    [change] = kept.ledger.edits
    assert isinstance(change.replacement, Note)
    [written] = [one for one in memory.written("c1").values() if one is not None]
    texts = [change.replacement.text, change.reason, kept.ledger.commands[0][1], written.text.decode()]
    texts.append(store.hidden("anna", ["k"])["k"].decode())
    if store.keeps_receipts:
        for one in (*store.exchanges("anna", "c1"), *store.newest_exchanges("anna")[1]):
            texts += [one.error, one.project]
        found = [*store.receipts("anna"), *store.newest_receipts("anna"), *store.find("anna", "a")]
        found += [one for one in [store.receipt("anna", "c1", 2, 0)] if one is not None]
        texts += [one.reason for one in found]
        texts += [store.original("anna", one.original) or "" for one in found]
        texts += [one.project for one in store.days("anna")]
    return texts


@pytest.fixture
def bytes_of(store_url: str, request: pytest.FixtureRequest) -> Callable[[], bytes]:
    """Read all bytes that the store of the test has written."""

    def everything() -> bytes:
        if store_url.startswith("sqlite:"):
            path = Path(store_url.removeprefix("sqlite:///"))
            return b"".join(file.read_bytes() for file in path.parent.glob("*"))
        if store_url.startswith("redis:"):
            redis: RedisServer = request.getfixturevalue("redis")
            return b"".join(file.read_bytes() for file in redis.folder.rglob("*.aof"))
        server: PostgresServer = request.getfixturevalue("server")
        return b"".join(postgres_values(server))

    return everything


def postgres_values(server: PostgresServer) -> Iterator[bytes]:
    import psycopg

    with psycopg.connect(server.url()) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'prunus'").fetchall()
        for [table] in tables:
            for row in connection.execute(f"SELECT * FROM prunus.{table}".encode()):
                yield from (value if isinstance(value, bytes) else str(value).encode() for value in row)


def test_without_a_key_the_words_are_in_the_bytes(reopen: Reopen, bytes_of: Callable[[], bytes]) -> None:
    """The test below can fail."""
    fill(reopen())
    assert WORD.encode() in bytes_of()


def test_with_a_key_no_word_is_in_the_bytes(reopen: Reopen, bytes_of: Callable[[], bytes]) -> None:
    before = bytes_of().count(WORD.encode())
    store = reopen(settings=with_key(ONE))
    fill(store)
    found = bytes_of()
    assert found.count(WORD.encode()) == before
    assert zlib.compress(f"{WORD} ".encode() * 50, 1)[2:20] not in found
    assert all(WORD in text for text in read(store))


def test_a_real_conversation_leaves_none_of_its_lines_in_the_bytes(
    reopen: Reopen, bytes_of: Callable[[], bytes]
) -> None:
    words = ("Look around", "total_0_", "total_2_", "part_1.py", "Be brief")
    before = [bytes_of().count(word.encode()) for word in words]
    store = reopen(settings=with_key(ONE))
    pruner = Pruner(Settings(schedule="eager"), store.memory(""))
    for n, body in enumerate(requests(8)):
        outcome = pruner.prune(body, now=10.0 * n)
        store.record("", exchange(outcome.conversation, outcome.request), outcome.receipts)
    assert not store.keeps_receipts or store.receipts("")
    assert [bytes_of().count(word.encode()) for word in words] == before


@pytest.mark.parametrize("agent", AGENTS)
def test_of_a_recorded_session_only_names_of_tools_are_in_the_file(tmp_path: Path, path: Path, agent: str) -> None:
    format, bodies = recorded_requests(tmp_path, agent)
    words, tools = set(re.findall(rb"[A-Za-z_]{8,}", bodies[-1][1])), set[bytes]()
    with closing(open_store(f"sqlite:///{path}", with_key(ONE))) as store:
        pruner = Pruner(recorded_settings(CHEAP), store.memory(""))
        for now, body in bodies:
            outcome = pruner.prune(body, now, format=format)
            made = exchange(outcome.conversation, outcome.request, asks=outcome.report.asked_again.asks)
            cuts = (*outcome.receipts, *outcome.passed)
            store.record("", made, cuts)
            tools |= {cut.tool.encode() for cut in cuts}
        assert len(store.receipts("")) >= 10
    with closing(sqlite3.connect(path)) as connection:
        names = " ".join(sql or "" for [sql] in connection.execute("SELECT sql FROM sqlite_master"))
    found = path.read_bytes()
    assert {word for word in words if word in found and word not in names.encode()} <= tools


def test_the_first_key_encrypts_and_every_key_decrypts(reopen: Reopen) -> None:
    fill(reopen(settings=with_key(ONE)))
    store = reopen(settings=with_key(TWO, ONE))
    assert all(WORD in text for text in read(store))
    fill(store, 8)
    store.memory("anna").keep(memo("c2", 6, (edit(4),)), links(6, "b"), {})
    only = reopen(settings=with_key(TWO))
    assert only.memory("anna").load("c2") is not None
    assert only.hidden("anna", ["k"]) == {"k": WORD.encode()}
    if only.keeps_receipts:
        [kept] = only.receipts("anna")
        assert WORD in (only.original("anna", kept.original) or "")


def test_text_stored_without_a_key_stays_readable(reopen: Reopen) -> None:
    fill(reopen())
    assert all(WORD in text for text in read(reopen(settings=with_key(ONE))))


@pytest.mark.parametrize(
    ("keys", "words"), [((), "no store.key is set"), ((TWO,), "encrypted with another key than store.key has")]
)
def test_a_missing_or_wrong_key_is_one_clear_error(reopen: Reopen, keys: tuple[str, ...], words: str) -> None:
    fill(reopen(settings=with_key(ONE)))
    store = reopen(settings=with_key(*keys))
    with pytest.raises(WrongKey, match=words):
        store.hidden("anna", ["k"])
    with pytest.raises(WrongKey, match=words):
        store.memory("anna").load("c1")
    if store.keeps_receipts:
        [kept] = store.receipts("anna")
        assert kept.reason == "(encrypted)"
        assert [one.project for one in store.days("anna")] == ["(encrypted)"]
        with pytest.raises(WrongKey, match=words):
            store.original("anna", kept.original)


def test_a_wrong_key_breaks_no_request(reopen: Reopen) -> None:
    settings = Settings(schedule="eager")
    bodies = requests(10)
    before = Pruner(settings, reopen(settings=with_key(ONE)).memory(""))
    steady = Pruner(settings)
    for n, body in enumerate(bodies[:7]):
        assert before.prune(body, now=10.0 * n).body == steady.prune(body, now=10.0 * n).body
    troubles: list[StoreError] = []
    after = Pruner(settings, reopen(settings=with_key(TWO)).memory("", troubles.append))
    for n, body in enumerate(bodies[7:], 7):
        outcome = after.prune(body, now=10.0 * n)
        assert outcome.error is None
    assert len(outcome.body) < len(bodies[-1])
    assert [type(error) for error in troubles] == [WrongKey]


def test_an_equal_project_is_one_row_of_a_day(reopen: Reopen, store_url: str) -> None:
    store = reopen(settings=with_key(ONE))
    if not store.keeps_receipts:
        pytest.skip("the Redis store keeps no sums by day")
    for number in range(3):
        store.record("", exchange("c1", number, project="/srv/one"))
    [day] = store.days("")
    assert (day.project, day.requests) == ("/srv/one", 3)


def test_a_value_that_was_moved_or_damaged_does_not_decrypt() -> None:
    cipher = Cipher(read_keys(ONE))
    value = cipher.encrypt(b"plum", "anna", "original", "00")
    assert cipher.decrypt(value, "anna", "original", "00") == b"plum"
    for context in (("bert", "original", "00"), ("anna", "original", "01"), ("anna", "original")):
        with pytest.raises(WrongKey, match="damaged, or was moved"):
            cipher.decrypt(value, *context)
    for at in range(7, len(value)):
        with pytest.raises(WrongKey):
            cipher.decrypt(value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :], "anna", "original", "00")
    for end in range(3, len(value)):
        with pytest.raises(WrongKey):
            cipher.decrypt(value[:end], "anna", "original", "00")


def test_equal_values_look_different() -> None:
    cipher = Cipher(read_keys(ONE))
    assert len({cipher.encrypt(b"plum", "anna") for _ in range(100)}) == 100


def test_a_key_comes_from_a_file_or_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"
    file.write_text(f"{ONE}\n")
    monkeypatch.setenv("PLUM_KEY", TWO.replace("=", ""))
    keys = read_keys((f"file:{file}", "env:PLUM_KEY"))
    assert keys == (b"\1" * 32, b"\2" * 32)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("env:NO_SUCH_PLUM", "this variable is not set"),
        ("file:/no/such/plum", "No such file"),
        ("env:SHORT_PLUM", "expected 32 random bytes in base64"),
    ],
)
def test_a_key_that_cannot_be_read_is_an_error_of_the_settings(
    given: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHORT_PLUM", "cGx1bQ==")
    with pytest.raises(SettingsError, match=f"store.key: {given}.*{words}") as raised:
        open_store(f"sqlite:///{tmp_path}/prunus.db", with_key(given))
    assert "cGx1bQ" not in str(raised.value)


def test_the_key_is_in_no_error_and_in_no_representation() -> None:
    wrong = ONE[:-8]
    with pytest.raises(SettingsError, match=r"store\.key.*expected file:PATH, env:NAME, or 32 random") as raised:
        with_key(ONE, wrong)
    assert wrong[:20] not in str(raised.value)
    assert ONE[:20] not in repr(with_key(ONE))


@pytest.mark.receipts
def test_originals_go_after_their_days_and_receipts_stay(reopen: Reopen) -> None:
    import time

    store = reopen(settings=Settings(store={"originals_days": 3}))
    now = time.time()
    for number, (age, text) in enumerate([(9, "old"), (1, "new"), (9, "both"), (1, "both")]):
        made = exchange("c1", number, time=now - age * 86_400.0)
        store.record("", made, [receipt(f"{number:06x}", number, original=text)])
    store.vacuum()
    kept = {one.id: one.original for one in store.receipts("")}
    assert [bool(kept[f"{number:06x}"]) for number in range(4)] == [False, True, True, True]


def test_restore_says_that_the_key_is_missing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/prunus.db"
    with closing(open_store(url, with_key(ONE))) as store:
        store.record("", exchange(), [receipt("aaaaaa", original=WORD)])
    from click.testing import CliRunner

    from prunus.cli import main

    done = CliRunner().invoke(main, ["restore", "aaaaaa", "--store", url])
    assert done.exit_code == 2
    assert "the store is encrypted, and no store.key is set" in done.stderr
    assert (
        json.loads(CliRunner().invoke(main, ["store", "info", "--json", "--store", url]).stdout)["originals"] == 1
    )
