"""The newest rows of all conversations, and single rows."""

from __future__ import annotations

import pytest

from prunus.store import Store
from tests.store.samples import exchange, receipt

pytestmark = pytest.mark.receipts


def test_the_newest_exchanges_come_first_and_a_mark_asks_for_those_since_then(store: Store) -> None:
    for n in (1, 2, 3):
        store.record("", exchange(f"c{n % 2}", n))
    mark, found = store.newest_exchanges("", limit=2)
    assert [(one.conversation, one.request) for one in found] == [("c1", 3), ("c0", 2)]
    assert store.newest_exchanges("", mark) == (mark, [])
    store.record("", exchange("c0", 4))
    again, [new] = store.newest_exchanges("", mark)
    assert new.request == 4 and again > mark


def test_an_exchange_without_an_answer_is_not_among_the_newest(store: Store) -> None:
    store.record("", exchange("c1", 1, status=0))
    assert store.newest_exchanges("")[1] == []


def test_a_tenant_sees_only_its_own_newest_rows(store: Store) -> None:
    store.record("a", exchange(), [receipt("aa1")])
    assert store.newest_exchanges("b")[1] == []
    assert store.newest_receipts("b") == []
    assert store.receipt("b", "c1", 2, 0) is None


def test_receipts_are_found_by_strategy_and_by_page(store: Store) -> None:
    store.record("", exchange("c1", 1), [receipt("aa1", 2), receipt("aa2", 4, strategy="old_errors")])
    store.record("", exchange("c2", 1), [receipt("aa3", 2)])
    assert [one.id for one in store.newest_receipts("")] == ["aa3", "aa2", "aa1"]
    assert [one.id for one in store.newest_receipts("", "old_errors")] == ["aa2"]
    assert [one.id for one in store.newest_receipts("", limit=1, offset=1)] == ["aa2"]


def test_a_receipt_is_found_by_its_place(store: Store) -> None:
    store.record("", exchange("c1", 1), [receipt("aa1", 2), receipt("aa2", 4)])
    found = store.receipt("", "c1", 4, 0)
    assert found is not None and found.id == "aa2"
    assert store.receipt("", "c1", 3, 0) is None


def test_sessions_are_found_by_page_and_by_id(store: Store) -> None:
    for n in (1, 2, 3):
        store.record("", exchange(f"c{n}", n))
    assert [one.id for one in store.sessions("", 2, offset=1)] == ["c2", "c1"]
    assert [one.id for one in store.sessions("", id="c2")] == ["c2"]
    assert store.sessions("", id="c") == []


def test_sessions_are_found_by_words(store: Store) -> None:
    store.record("", exchange("c1", 1, client="Codex", model="gpt-6"))
    store.record("", exchange("c2", 2, client="claude", model="100%_opus"))
    store.record("other", exchange("c3", 3, client="codex"))
    assert [one.id for one in store.sessions("", words="CODEX")] == ["c1"]
    assert [one.id for one in store.sessions("", words="0%_o")] == ["c2"]
    assert [one.id for one in store.sessions("", words="c")] == ["c2", "c1"]
    assert [one.id for one in store.sessions("", words="%")] == ["c2"]
