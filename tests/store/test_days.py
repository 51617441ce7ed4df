"""The sums by day, agent, model and project."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from prunus.spending import DayTotals, summed
from prunus.store import Store, Usage, open_store
from tests.store.samples import exchange

DAY = datetime(2026, 11, 16, 12).timestamp()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path}/prunus.db")


def test_an_exchange_that_is_written_again_counts_once(store: Store) -> None:
    for _ in range(2):
        store.record("", exchange("c1", time=DAY, id="one", missed=790, missed_for="first", project="/work"))
    assert store.days("") == [
        DayTotals(
            "2026-11-16", "claude", "claude-sonnet-4-5", "/work", "first", 1, 1_000, 800, 10, 500, 290, 40,
            400.0, 500.0, 0.0, 0, 790,
        )
    ]  # fmt: skip


def test_tenants_and_shadow_runs_are_apart(store: Store) -> None:
    store.record("a", exchange("c1", time=DAY))
    store.record("b", exchange("c1", time=DAY, cost=1.0))
    store.record("a", exchange("c2", time=DAY, shadow=True))
    assert [one.cost for one in store.days("a")] == [400.0]
    assert [one.cost for one in store.days("b")] == [1.0]
    assert [one.requests for one in store.days("a", shadow=True)] == [1]


def test_sums_stay_when_their_conversations_go(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/prunus.db")
    store.record("", exchange("c1", time=DAY - 400 * 86_400))
    store.record("", exchange("c2", time=datetime.now().timestamp()))
    store.vacuum()
    assert [one.id for one in store.sessions("")] == ["c2"]
    assert summed(store.days("")).requests == 2


def test_a_conversation_is_billed_by_model(store: Store) -> None:
    store.record("", exchange("c1", 1, time=DAY))
    store.record("", exchange("c1", 2, time=DAY, model="claude-haiku-4-5", cost=7.0, usage=Usage(1, 2, 3, 4)))
    found = {one.model: (one.cost, one.cache_read) for one in store.bills("", "c1")}
    assert found == {"claude-sonnet-4-5": (400.0, 500), "claude-haiku-4-5": (7.0, 2)}


def test_clearing_the_store_clears_the_days(store: Store) -> None:
    store.record("", exchange("c1", time=DAY))
    store.clear()
    assert store.days("") == []
