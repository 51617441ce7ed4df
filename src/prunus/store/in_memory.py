"""The store that keeps nothing on disk.

A running session needs its hidden exchanges and pending commands, so this store keeps a bounded number of them in
memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Final

from prunus.conversations.context import Context
from prunus.conversations.memory import ConversationRecord, Match, Memory, nothing_else
from prunus.outcome import Receipt
from prunus.reuse.experience import Experience
from prunus.schedule.cache_life import Hindsight
from prunus.schedule.ledger import Written
from prunus.spending import DayTotals, Earnings
from prunus.store.records import Exchange, Info, KnownConversation, StoredReceipt, StoredSession, Totals
from prunus.store.store import StoreError

_MOST: Final = 10_000
"""The store holds at most this many entries of each kind."""


class InMemoryStore:
    """A store that forgets; `Store` documents the methods."""

    def __init__(self) -> None:
        self._hidden: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._asked: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()
        self._lock = Lock()

    def memory(self, tenant: str, trouble: Callable[[StoreError], None] | None = None) -> Memory:
        return _Blank()

    def record(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt] = ()) -> None:
        pass

    @property
    def keeps_receipts(self) -> bool:
        return False

    def record_all(self, exchanges: Sequence[tuple[str, Exchange]]) -> None:
        pass

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

    def sessions(
        self, tenant: str, limit: int | None = None, *, offset: int = 0, id: str = "", words: str = ""
    ) -> list[StoredSession]:
        return []

    def exchanges(self, tenant: str, conversation: str) -> list[Exchange]:
        return []

    def receipts(self, tenant: str, conversation: str = "", limit: int | None = None) -> list[StoredReceipt]:
        return []

    def newest_exchanges(self, tenant: str, after: int = 0, limit: int = 50) -> tuple[int, list[Exchange]]:
        return after, []

    def newest_receipts(
        self, tenant: str, strategy: str = "", limit: int = 50, offset: int = 0
    ) -> list[StoredReceipt]:
        return []

    def receipt(self, tenant: str, conversation: str, message: int, part: int) -> StoredReceipt | None:
        return None

    def find(self, tenant: str, id: str) -> list[StoredReceipt]:
        return []

    def original(self, tenant: str, digest: str) -> str | None:
        return None

    def contexts(self, tenant: str, conversation: str = "") -> list[Context]:
        return []

    def totals(self, tenant: str, conversation: str = "", *, shadow: bool = False) -> Totals:
        return Totals()

    def days(self, tenant: str, since: str = "", *, shadow: bool = False) -> list[DayTotals]:
        return []

    def bills(self, tenant: str, conversation: str, *, shadow: bool = False) -> list[DayTotals]:
        return []

    def earnings(self, tenant: str, since: float = 0.0, *, shadow: bool = False) -> list[Earnings]:
        return []

    def experiences(self, tenant: str, *, shadow: bool = False) -> Mapping[str, Experience]:
        return {}

    def info(self) -> Info:
        return Info("off", keeps_receipts=False)

    def conversations(
        self, tenant: str, id: str = "", *, before: float | None = None, limit: int | None = None
    ) -> list[KnownConversation]:
        return []

    def forget(self, tenant: str, conversations: Sequence[str]) -> int:
        with self._lock:
            return sum(self._asked.pop((tenant, id), None) is not None for id in conversations)

    def forget_hidden(self, tenant: str, before: float) -> int:
        return 0

    def vacuum(self) -> None:
        pass

    def clear(self) -> None:
        with self._lock:
            self._hidden.clear()
            self._asked.clear()

    def open(self) -> None:
        pass

    def close(self) -> None:
        pass


class _Blank:
    """A memory that forgets every conversation."""

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        return ()

    def load(self, id: str) -> ConversationRecord | None:
        return None

    def written(self, id: str) -> Mapping[int, Written | None]:
        return {}

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
    ) -> None:
        pass

    def experience(self, client: str) -> Experience:
        return Experience()

    def refresh(self, id: str, requests: int, time: float) -> bool:
        return True

    def hindsight(self) -> Hindsight:
        return Hindsight()
