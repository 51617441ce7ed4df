"""Exchanges reach the store, also one that was away for a while."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from prunus.proxy import recorder
from prunus.proxy.faults import Faults
from prunus.proxy.recorder import Recorder
from prunus.store import Exchange, Store, StoreError, open_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path / 'store.db'}")


def exchange(number: int) -> Exchange:
    return Exchange("c1", number, time.time(), model="m", tokens_before=10, tokens_after=8, status=200)


def test_waiting_exchanges_are_written_when_the_recorder_ends(store: Store) -> None:
    writer = Recorder(store, Faults(lambda _: None), lambda *_: None)
    for number in range(1_200):
        writer.put("", exchange(number))
    writer.close()
    assert [one.request for one in store.exchanges("", "c1")] == list(range(1_200))


def test_a_store_that_was_locked_gets_what_it_missed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "_MOMENT", 0.01)
    monkeypatch.setattr(recorder, "_AGAIN", 0.05)
    failed = Event()
    store.record("", exchange(0))
    holder = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    writer = Recorder(store, Faults(lambda _: failed.set()), lambda *_: None)
    writer.put("", exchange(1))
    failed.wait()
    writer.put("", exchange(2))
    holder.execute("ROLLBACK")
    holder.close()
    writer.close()
    assert [one.request for one in store.exchanges("", "c1")] == [0, 1, 2]


def test_a_store_that_is_slow_gets_smaller_batches(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_AGAIN", 0.01)
    written = store.record_all
    sizes: list[int] = []

    def in_time(exchanges: Sequence[tuple[str, Exchange]]) -> None:
        sizes.append(len(exchanges))
        if len(exchanges) > 5:
            raise StoreError("the store does not answer")
        written(exchanges)

    monkeypatch.setattr(store, "record_all", in_time)
    writer = Recorder(store, Faults(lambda _: None), lambda *_: None)
    for number in range(60):
        writer.put("", exchange(number))
    while len(store.exchanges("", "c1")) < 60:
        time.sleep(0.01)
    writer.close()
    assert [one.request for one in store.exchanges("", "c1")] == list(range(60))
    assert max(sizes) > 5


def test_no_transaction_is_so_long_that_requests_wait_for_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    written = store.record_all
    sizes: list[int] = []
    monkeypatch.setattr(store, "record_all", lambda some: (sizes.append(len(some)), written(some)))
    writer = Recorder(store, Faults(lambda _: None), lambda *_: None)
    for number in range(100):
        writer.put("", exchange(number))
    writer.close()
    assert sum(sizes) == 100
    assert max(sizes) <= 16


def test_an_exchange_that_cannot_be_written_does_not_keep_the_others(store: Store) -> None:
    faults: list[str] = []
    writer = Recorder(store, Faults(faults.append), lambda *_: None)
    for one in (exchange(1), replace(exchange(2), tokens_before=1 << 70), exchange(3)):
        writer.put("", one)
    writer.close()
    assert [one.request for one in store.exchanges("", "c1")] == [1, 3]
    assert faults == ["store"]
