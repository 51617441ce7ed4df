"""The store stays within its size and age limits, and drops rows that nobody needs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from prunus import Settings
from prunus.settings.tables import StoreSettings
from prunus.store import Store
from prunus.store.cipher import Cipher
from prunus.store.records import digest_of
from prunus.store.sql.retention import tidy
from prunus.store.sql.store import SqlStore
from prunus.store.sqlite.database import Database
from tests.store.samples import edit, exchange, links, memo, receipt

T = TypeVar("T")

DAY = 86_400.0
NOW = time.time()


@pytest.fixture
def small(reopen: Callable[..., Store]) -> Store:
    """A store of at most a megabyte and three days."""
    return reopen(settings=Settings(store={"size": 1024 * 1024, "days": 3}))


def noise(seed: int, size: int = 30_000) -> str:
    return Random(seed).randbytes(size // 2).hex()


@pytest.mark.receipts
def test_old_conversations_are_removed_with_all_their_rows(small: Store) -> None:
    small.memory("").keep(memo("old", 6, (edit(2),), at=NOW - 9 * DAY), links(6), {})
    small.record("", exchange("old", time=NOW - 9 * DAY), [receipt("aaaaaa", 2), receipt("bbbbbb", 4, "only here")])
    small.ask("", "old", "sweep")
    small.record("", exchange("new", time=NOW), [receipt("cccccc", 2)])
    small.vacuum()
    assert [session.id for session in small.sessions("")] == ["new"]
    assert [kept.id for kept in small.receipts("")] == ["cccccc"]
    assert not small.memory("").find(links(6))
    assert small.asked("", "old") == ()
    assert small.info().originals == 1
    [kept] = small.receipts("")
    assert small.original("", kept.original) == "one\ntwo\n"


@pytest.mark.receipts
def test_opening_a_store_removes_what_is_too_old(store: Store, reopen: Callable[..., Store]) -> None:
    """A proxy that serves few requests between two starts keeps to the limits too."""
    store.record("", exchange("old", time=NOW - 9 * DAY), [receipt("aaaaaa", 2, "only here")])
    store.record("", exchange("new", time=NOW))
    again = reopen(settings=Settings(store={"days": 3}))
    again.open()
    assert [session.id for session in again.sessions("")] == ["new"]
    assert again.info().originals == 0


@pytest.mark.receipts
def test_the_sums_of_all_time_outlive_their_conversations(small: Store) -> None:
    small.record("", exchange("old", time=NOW - 9 * DAY), [receipt("aaaaaa")])
    before = small.totals("")
    small.vacuum()
    assert small.sessions("") == []
    assert small.totals("") == before
    assert before.requests == 1


@pytest.mark.receipts
def test_a_full_store_removes_the_oldest_conversations_first(small: Store, store_url: str) -> None:
    for n in range(200):
        at = NOW - 1_000 + n
        small.memory("").keep(memo(f"c{n}", 2, at=at), links(2, f"c{n}"), {})
        small.record("", exchange(f"c{n}", time=at), [receipt(f"{n:06x}", 2, noise(n))])
    left = [session.id for session in small.sessions("")]
    assert left == [f"c{n}" for n in range(199, 199 - len(left), -1)]
    assert 10 < len(left) < 140
    small.vacuum()
    if store_url.startswith("sqlite:"):
        # The limit is for the file; the index of its log, 32 KB, lies beside it while the store is open.
        assert Path(store_url.removeprefix("sqlite:///")).stat().st_size <= 1024 * 1024
    assert small.totals("").requests == 200


@pytest.mark.receipts
def test_a_conversation_that_is_too_large_loses_its_oldest_originals(small: Store) -> None:
    for n in range(200):
        small.record("", exchange("c1", n, time=NOW), [receipt(f"{n:06x}", n, noise(n))])
    small.vacuum()
    assert small.info().size <= 1024 * 1024
    kept = {int(one.id, 16): one.original for one in small.receipts("")}
    assert len(kept) == 200
    assert not kept[0]
    assert small.original("", kept[199]) == noise(199)


def test_a_hidden_exchange_in_use_is_not_removed(small: Store, path: Path) -> None:
    import sqlite3

    small.save_hidden("", "used", b"1")
    small.save_hidden("", "unused", b"2")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE hidden SET seen = ?", (NOW - 9 * DAY,))
    connection.close()
    assert small.hidden("", ["used"]) == {"used": b"1"}
    small.vacuum()
    assert small.hidden("", ["used", "unused"]) == {"used": b"1"}


def test_a_hidden_exchange_is_returned_where_its_use_cannot_be_saved(small: Store, path: Path) -> None:
    small.save_hidden("", "used", b"1")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE hidden SET seen = ?", (NOW - 9 * DAY,))
        connection.execute("BEGIN IMMEDIATE")
        assert small.hidden("", ["used"]) == {"used": b"1"}


def test_nothing_of_forgotten_hidden_exchanges_is_left_in_the_file(small: Store, path: Path) -> None:
    small.save_hidden("", "key", b"a secret plan")
    assert small.forget_hidden("", NOW + DAY) == 1
    assert not any(b"secret plan" in file.read_bytes() for file in path.parent.iterdir())


@pytest.mark.receipts
def test_originals_of_replaced_receipts_go_with_their_conversation(small: Store) -> None:
    for original in ("the first text", "another text after an undo"):
        small.record("", exchange("c1", time=NOW), [receipt("aaaaaa", 2, original)])
    small.record("", exchange("c2", time=NOW), [receipt("bbbbbb", 2, "a text of another conversation")])
    assert small.forget("", ["c1"]) == 1
    assert small.info().originals == 1
    assert small.original("", digest_of("the first text").hex()) is None


@pytest.mark.receipts
def test_originals_of_replaced_receipts_go_with_time(small: Store) -> None:
    for original in ("the first text", "another text after an undo"):
        small.record("", exchange("c1", time=NOW), [receipt("aaaaaa", 2, original)])
    small.record_all([("", exchange("c1", request, time=NOW)) for request in range(64)])
    assert small.info().originals == 1
    assert small.original("", digest_of("the first text").hex()) is None


def test_vacuum_removes_originals_without_a_receipt(small: Store, path: Path) -> None:
    import sqlite3

    small.record("", exchange(time=NOW), [receipt("aaaaaa")])
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM receipts")
    connection.close()
    small.vacuum()
    assert small.info().originals == 0


class Counting(Database):
    """Counts the transactions that run alone on a server."""

    alone = 0

    def write(self, work: Callable[[sqlite3.Connection], T], *names: str) -> T:
        self.alone += not names
        return super().write(work, *names)


def test_tidying_runs_no_exclusive_write_if_nothing_is_to_be_removed(tmp_path: Path) -> None:
    database = Counting(tmp_path / "store.db")
    store = SqlStore(database, StoreSettings(), Cipher())
    store.record("", exchange("c1", time=1_000.0))
    store.save_hidden("", "key", b"value")
    assert tidy(database, size=1 << 30, days=30, now=2_000.0)
    assert database.alone == 0
    assert tidy(database, size=1 << 30, days=30, now=2_000.0 + 40 * 86_400)
    assert database.alone > 0
    assert store.sessions("") == []
