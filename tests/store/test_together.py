"""`together` commits the memory and the exchange in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from prunus.store import Store, StoreError
from prunus.store.database import Database
from tests.store.samples import edit, exchange, links, memo, recalled, receipt

Reopen = Callable[..., Store]


@pytest.mark.receipts
def test_other_connections_see_a_joint_transaction_completely_or_not_at_all(store: Store, reopen: Reopen) -> None:
    other = reopen()
    kept = memo("c1", 2, (edit(2),))
    with store.together():
        store.memory("").keep(kept, links(2), {})
        store.record("", exchange("c1"), [receipt("aaaaaa")])
        assert not other.memory("").find(links(2))
        assert other.receipts("") == []
    assert recalled(other.memory(""), links(2)) == (kept, 2)
    assert [one.id for one in other.receipts("")] == ["aaaaaa"]


def test_changes_before_an_error_are_committed(store: Store, reopen: Reopen) -> None:
    kept = memo("c1", 2)
    with pytest.raises(RuntimeError, match="on the way"), store.together():
        store.memory("").keep(kept, links(2), {})
        raise RuntimeError("on the way")
    assert recalled(reopen().memory(""), links(2)) == (kept, 2)


def test_a_failed_receipt_does_not_roll_back_the_memory(store: Store, reopen: Reopen, path: Path) -> None:
    store.record("", exchange("c0"))
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TRIGGER no BEFORE INSERT ON receipts BEGIN SELECT raise(ABORT, 'refused'); END")
    connection.close()
    kept = memo("c1", 2, (edit(2),))
    with pytest.raises(StoreError, match="refused"), store.together():
        store.memory("").keep(kept, links(2), {})
        store.record("", exchange("c1"), [receipt("aaaaaa")])
    assert recalled(reopen().memory(""), links(2)) == (kept, 2)
    assert store.totals("").requests == 1


def test_record_all_writes_all_exchanges_or_none(store: Store, path: Path) -> None:
    store.record("", exchange("c0"))
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TRIGGER no BEFORE INSERT ON exchanges WHEN new.request = 3 "
            "BEGIN SELECT raise(ABORT, 'refused'); END"
        )
    connection.close()
    with pytest.raises(StoreError, match="refused"):
        store.record_all([("", exchange("c1", n)) for n in range(1, 5)])
    assert store.totals("").requests == 1
    store.record_all([("", exchange("c1", 1)), ("other", exchange("c1", 2))])
    assert (store.totals("").requests, store.totals("other").requests) == (2, 1)


def test_a_store_that_is_locked_or_slow_is_not_prompt(path: Path) -> None:
    seconds = 0.0
    times = count()
    database = Database(path, clock=lambda: next(times) * seconds)
    assert not database.prompt  # no commit has shown yet that it is quick
    database.write(_nothing)
    assert database.prompt
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked"):
            database.write(_nothing)
        assert not database.prompt
        holder.execute("ROLLBACK")
    database.write(_nothing)
    assert database.prompt
    seconds = 1.0
    database.write(_nothing)
    assert not database.prompt
    database.close()


def _nothing(_: sqlite3.Connection) -> None:
    """A callback that does nothing, so that only the commit counts."""
