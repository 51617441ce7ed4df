"""The store that keeps nothing on disk.

A running session needs its hidden exchanges and pending commands, so this store keeps a bounded number of them in
memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from threading import Lock
from typing import Any, Final

from prunus.conversations.memory import Memory
from prunus.reuse.asked_again import Experience
from prunus.store.records import Exchange, Info, Totals
from prunus.store.store import StoreError

_MOST: Final = 10_000
"""The store holds at most this many entries of each kind."""


class InMemoryStore:
    """A store that forgets; `Store` documents the methods."""

    keeps_receipts = False
    hurry = staticmethod(nullcontext)

    def __init__(self) -> None:
        self._hidden: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._asked: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()
        self._lock = Lock()

    def memory(self, tenant: str, trouble: Callable[[StoreError], None] | None = None) -> Memory:
        return Memory()

    def _ignore(self, *values: object, **options: object) -> None:
        pass

    record = record_all = vacuum = open = close = receipt = original = _ignore

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
        with self._lock:
            self._hidden[tenant, key] = value
            if len(self._hidden) > _MOST:
                self._hidden.popitem(last=False)

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
        with self._lock:
            return {key: self._hidden[tenant, key] for key in keys if (tenant, key) in self._hidden}

    def ask(self, tenant: str, conversation: str, what: str) -> None:
        with self._lock:
            self._asked[tenant, conversation] = (*self._asked.get((tenant, conversation), ()), what)
            if len(self._asked) > _MOST:
                self._asked.popitem(last=False)

    def asked(self, tenant: str, conversation: str) -> tuple[str, ...]:
        with self._lock:
            return self._asked.get((tenant, conversation), ())

    def take(self, tenant: str, conversation: str) -> tuple[str, ...]:
        with self._lock:
            return self._asked.pop((tenant, conversation), ())

    def _nothing(self, *values: object, **options: object) -> list[Any]:
        return []

    sessions = exchanges = contexts = conversations = _nothing
    receipts = newest_receipts = find = _nothing
    days = bills = earnings = _nothing

    def newest_exchanges(self, tenant: str, after: int = 0, limit: int = 50) -> tuple[int, list[Exchange]]:
        return after, []

    def totals(self, tenant: str, conversation: str = "", *, shadow: bool = False) -> Totals:
        return Totals()

    def experiences(self, tenant: str, *, shadow: bool = False) -> Mapping[str, Experience]:
        return {}

    def info(self) -> Info:
        return Info("off", keeps_receipts=False)

    def forget(self, tenant: str, conversations: Sequence[str]) -> int:
        with self._lock:
            return sum(self._asked.pop((tenant, id), None) is not None for id in conversations)

    def forget_hidden(self, tenant: str, before: float) -> int:
        return 0

    def clear(self) -> None:
        with self._lock:
            self._hidden.clear()
            self._asked.clear()
