"""Tenants are apart: whatever one of them writes or removes, every method returns the same to the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from prunus.conversations.memory import Memory
from prunus.schedule.cache_life import CacheLife, Hindsight
from prunus.schedule.ledger import Written
from prunus.store import Store, open_store
from prunus.store.records import digest_of
from prunus.store.store import NoReceipts
from tests.store.samples import ask, edit, exchange, links, memo, receipt

Write = Callable[[Store, str], object]

NAMES = (("anna", "bert"), ("", "anna"), ("a", "a:conversation"), ("a b", "a%20b"), ("{a}", "*"))
"""Pairs of tenants, some of which could be mixed up in a key or a pattern."""

WRITES: dict[str, Write] = {
    "record": lambda store, name: store.record(
        name, _exchange(name, 1), [receipt("aaaaaa", original=f"of {name}", kind="read")]
    ),
    "record_all": lambda store, name: store.record_all([(name, _exchange(name, 2))]),
    "save_hidden": lambda store, name: store.save_hidden(name, "k", name.encode() + b"!"),
    "ask": lambda store, name: store.ask(name, "c1", f"sweep {name}"),
    "memory.keep": lambda store, name: store.memory(name).keep(
        replace(memo("c1", 6, (edit(2, f"of_{name}"),)), life=CacheLife(own=Hindsight(float(len(name)) + 1.0))),
        links(6),
        {2: Written(b"key", f"written of {name}".encode())},
    ),
}
REMOVALS: dict[str, Write] = {
    "memory.refresh": lambda store, name: store.memory(name).refresh("c1", 3, 500.0),
    "take": lambda store, name: store.take(name, "c1"),
    "forget": lambda store, name: store.forget(name, ["c1"]),
    "forget_hidden": lambda store, name: store.forget_hidden(name, 1e12),
}
READS: dict[str, Write] = {
    "hidden": lambda store, name: store.hidden(name, ["k"]),
    "asked": lambda store, name: store.asked(name, "c1"),
    "sessions": lambda store, name: store.sessions(name),
    "exchanges": lambda store, name: store.exchanges(name, "c1"),
    "receipts": lambda store, name: (store.receipts(name), store.receipts(name, "c1")),
    "newest_exchanges": lambda store, name: store.newest_exchanges(name)[1],
    "newest_receipts": lambda store, name: store.newest_receipts(name),
    "receipt": lambda store, name: store.receipt(name, "c1", 2, 0),
    "find": lambda store, name: store.find(name, "a"),
    "original": lambda store, name: [store.original(name, digest_of(f"of {one}").hex()) for one in _all()],
    "contexts": lambda store, name: store.contexts(name),
    "totals": lambda store, name: (store.totals(name), store.totals(name, "c1")),
    "days": lambda store, name: store.days(name),
    "bills": lambda store, name: store.bills(name, "c1"),
    "earnings": lambda store, name: store.earnings(name),
    "experiences": lambda store, name: store.experiences(name),
    "conversations": lambda store, name: store.conversations(name),
    "memory.find": lambda store, name: store.memory(name).find(links(6)),
    "memory.recall": lambda store, name: _recalled(store.memory(name)),
    "memory.load": lambda store, name: store.memory(name).load("c1"),
    "memory.written": lambda store, name: store.memory(name).written("c1"),
    "memory.experience": lambda store, name: store.memory(name).experience("claude"),
    "memory.hindsight": lambda store, name: store.memory(name).hindsight(),
}
OF_ALL = {"memory", "hurry", "keeps_receipts", "info", "vacuum", "clear", "open", "close"}
"""Methods of the store that are for no tenant."""


def _all() -> set[str]:
    return {name for pair in NAMES for name in pair}


def _recalled(memory: Memory) -> tuple[object, ...]:
    found = memory.recall(links(6), "claude")
    return found.matches, found.memo and found.memo(), found.experience


def _exchange(name: str, request: int) -> Any:
    return exchange("c1", request, id=f"x{request}", project=f"of {name}", asks=(ask(2),), time=1_000.0 + len(name))


def seen_by(store: Store, name: str) -> dict[str, object]:
    """What every method returns to a tenant."""
    found: dict[str, object] = {}
    for method, read in READS.items():
        try:
            found[method] = read(store, name)
        except NoReceipts:
            assert not store.keeps_receipts
            found[method] = "no receipts"
    return found


def test_every_method_for_a_tenant_is_tried() -> None:
    def public(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    tried = {*WRITES, *REMOVALS, *READS}
    assert tried == (public(Store) - OF_ALL) | {f"memory.{name}" for name in public(Memory) - {"checks"}}


@pytest.mark.parametrize("kind", ["kept", "off"])
@pytest.mark.parametrize(("one", "other"), NAMES)
def test_a_tenant_sees_nothing_of_another(store: Store, kind: str, one: str, other: str) -> None:
    store = store if kind == "kept" else open_store("off")
    before = seen_by(store, other)
    for method, write in WRITES.items():
        write(store, one)
        assert seen_by(store, other) == before, method
    assert kind == "off" or seen_by(store, one) != before


@pytest.mark.parametrize("kind", ["kept", "off"])
@pytest.mark.parametrize(("one", "other"), NAMES)
def test_a_tenant_changes_nothing_of_another(store: Store, kind: str, one: str, other: str) -> None:
    store = store if kind == "kept" else open_store("off")
    for write in WRITES.values():
        write(store, other)
    before = seen_by(store, other)
    for method, write in {**WRITES, **REMOVALS}.items():
        write(store, one)
        assert seen_by(store, other) == before, method


def test_the_store_lists_its_tenants(store: Store) -> None:
    for name in ("anna", "bert"):
        store.record(name, exchange())
    assert store.info().tenants == ("anna", "bert")
