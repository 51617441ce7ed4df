"""`Memory.keep` commits a conversation and its receipts in one transaction, `record_all` many exchanges."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from prunus.store import Store, StoreError
from tests.store.samples import edit, exchange, links, memo, recalled, receipt

Reopen = Callable[..., Store]


@pytest.mark.receipts
def test_other_connections_see_a_joint_transaction_completely_or_not_at_all(store: Store, reopen: Reopen) -> None:
    other = reopen()
    kept = memo("c1", 2, (edit(2),))

    def record() -> None:
        store.record("", exchange("c1"), [receipt("aaaaaa")])
        assert not other.memory("").find(links(2))
        assert other.receipts("") == []

    store.memory("").keep(kept, links(2), {}, record)
    assert recalled(other.memory(""), links(2)) == (kept, 2)
    assert [one.id for one in other.receipts("")] == ["aaaaaa"]


def test_a_conversation_is_saved_even_if_its_receipts_raise_an_error(store: Store, reopen: Reopen) -> None:
    kept = memo("c1", 2)

    def fail() -> None:
        raise RuntimeError("on the way")

    with pytest.raises(RuntimeError, match="on the way"):
        store.memory("").keep(kept, links(2), {}, fail)
    assert recalled(reopen().memory(""), links(2)) == (kept, 2)


def test_a_failed_receipt_does_not_roll_back_the_memory(store: Store, reopen: Reopen, path: Path) -> None:
    store.record("", exchange("c0"))
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TRIGGER no BEFORE INSERT ON receipts BEGIN SELECT raise(ABORT, 'refused'); END")
    connection.close()
    kept = memo("c1", 2, (edit(2),))
    with pytest.raises(StoreError, match="refused"):
        store.memory("").keep(kept, links(2), {}, lambda: store.record("", exchange("c1"), [receipt("aaaaaa")]))
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
