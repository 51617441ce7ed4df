"""Writes exchanges to the store in a separate thread, so that no disk delays an answer.

Exchanges that end at about the same time are written in one short transaction, so that requests hardly wait for the
store. Only the numbers of an exchange wait here: its receipts and the memo of its conversation were committed
before the request was sent.

The thread also describes what fills each conversation, which walks over all of its parts. For a conversation of
1,000 calls that takes longer than pruning its next request. So at most one hundredth of the time goes into
descriptions, however many conversations there are. An exchange that comes too soon is recorded without a
description, and recorded again with one later, unless a newer exchange of its conversation has come by then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from threading import Event, Thread
from time import monotonic, thread_time
from typing import Final

from prunus.conversations.context import Context
from prunus.proxy.faults import Faults
from prunus.store.records import Exchange
from prunus.store.store import Store, StoreError

Describe = Callable[[str, str], Context | None]
"""Returns what fills the newest request of a tenant's conversation, as far as it is known."""
TenantExchange = tuple[str, Exchange]
"""The name of a tenant, and an exchange of that tenant."""

_WAITING: Final = 10_000
"""Exchanges that may wait for a slow store; more are not recorded."""
_MOMENT: Final = 0.1
"""Seconds in which exchanges gather."""
_AGAIN: Final = 1.0
"""Seconds until a store that failed is tried again."""
_BATCH: Final = 16
"""The most exchanges of one transaction, which takes 0.7 ms then; with 500 of them, requests would wait 18 ms.

Half as many after a transaction that a store did not take in time, and one more after each that it took.
"""
_BETWEEN: Final = 0.002
"""Seconds between two transactions, so that requests of all workers can write; they try every millisecond."""
_PATIENCE: Final = 5.0
"""Seconds that the end of the proxy may wait for the store."""

_SHARE: Final = 0.01
"""The share of the time in which conversations may be described."""
_SAVED: Final = 0.05
"""The most seconds for descriptions that an idle proxy saves up."""
_LAST: Final = 1.0
"""The most seconds that descriptions may take when the proxy ends."""


class Recorder:
    """A queue in front of a store."""

    def __init__(self, store: Store, faults: Faults, describe: Describe) -> None:
        """`describe`, asked in the thread, tells what fills a conversation."""
        self._store = store
        self._faults = faults
        self._waiting: deque[TenantExchange] = deque()
        self._contexts = Contexts(describe)
        self._batch = _BATCH
        self._called = Event()
        self._ending = Event()
        self._thread = Thread(target=self._run, name="prunus-recorder", daemon=True)
        self._thread.start()

    def put(self, tenant: str, exchange: Exchange) -> None:
        """Have an exchange written soon."""
        if len(self._waiting) >= _WAITING:
            self._faults.report("store", "too slow, exchanges are not recorded")
            return
        self._waiting.append((tenant, exchange))
        if not self._called.is_set():
            self._called.set()

    def close(self) -> None:
        """Write what waits, and stop."""
        self._ending.set()
        self._called.set()
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        pause = _MOMENT
        while True:
            self._called.wait(None if self._contexts.complete else _MOMENT)
            last = self._ending.wait(pause)
            self._called.clear()
            waiting = {(tenant, exchange.conversation) for tenant, exchange in list(self._waiting)}
            self._waiting.extendleft(self._contexts.due(waiting))
            pause = _MOMENT if self._write() else _AGAIN
            if last:
                self._waiting.extendleft(self._contexts.due(last=True))
                self._write()
                return
            if self._waiting:
                self._called.set()

    def _write(self) -> bool:
        """Write all that waits; what the store does not take now waits on, in its order."""
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(self._batch, len(self._waiting)))]
            ready = self._contexts.added(batch) if self._store.keeps_receipts else batch
            try:
                self._store.record_all(ready)
            except StoreError as error:
                self._faults.report("store", error)
                self._waiting.extendleft(reversed(batch))
                self._batch = max(1, len(batch) // 2)
                return False
            except Exception:  # one exchange that cannot be written must not take the others along
                self._write_singly(ready)
            self._batch = min(_BATCH, self._batch + 1)
            if self._waiting:
                self._ending.wait(_BETWEEN)
        return True

    def _write_singly(self, batch: list[TenantExchange]) -> None:
        """Find the exchange that cannot be written, and write the others."""
        for entry in batch:
            try:
                self._store.record_all([entry])
            except Exception as error:  # whatever is wrong with it, the next one is written
                self._faults.report("store", error)


class Contexts:
    """Adds a description to the newest exchange of each conversation, as far as the time for that allows."""

    def __init__(
        self,
        describe: Describe,
        clock: Callable[[], float] = monotonic,
        cost: Callable[[], float] = thread_time,
    ) -> None:
        self._describe = describe
        self._clock = clock
        self._cost = cost
        self._left = _SAVED
        """The seconds of work that are left for descriptions; below zero after a long one."""
        self._counted = clock()
        """The time up to which `_left` has grown."""
        self._late: dict[tuple[str, str], Exchange] = {}
        """The queue of conversations, each with its newest exchange, which was recorded without a description."""

    def due(self, waiting: Collection[tuple[str, str]] = (), *, last: bool = False) -> list[TenantExchange]:
        """Describe exchanges that were recorded without a description, and return them to be recorded again.

        Conversations that have waited longest come first, as far as there is time now. Those of which newer
        exchanges are `waiting` keep their place in the queue. The `last` time gets one more second.
        """
        found = []
        self._left += _LAST if last else 0.0
        for name in [name for name in self._late if name not in waiting]:
            if not self._has_time():
                break
            tenant, _ = name
            found.append((tenant, self._described(tenant, self._late.pop(name))))
        return found

    @property
    def complete(self) -> bool:
        """Whether no exchange has to be recorded once more."""
        return not self._late

    def added(self, batch: Sequence[TenantExchange]) -> list[TenantExchange]:
        """Return the exchanges to record."""
        newest = {
            (tenant, exchange.conversation): exchange.id for tenant, exchange in batch if exchange.tokens_before
        }
        return [
            (tenant, self._with_context(tenant, exchange))
            if newest.get((tenant, exchange.conversation)) == exchange.id
            else (tenant, exchange)
            for tenant, exchange in batch
        ]

    def _with_context(self, tenant: str, exchange: Exchange) -> Exchange:
        name = tenant, exchange.conversation
        if exchange.context is not None:
            return exchange
        is_next = next(iter(self._late), name) == name
        if not is_next or not self._has_time():
            self._late[name] = exchange
            return exchange
        self._late.pop(name, None)
        return self._described(tenant, exchange)

    def _has_time(self) -> bool:
        now = self._clock()
        earned = (now - self._counted) * _SHARE
        self._left = max(self._left, min(_SAVED, self._left + earned))
        self._counted = now
        return self._left > 0.0

    def _described(self, tenant: str, exchange: Exchange) -> Exchange:
        begun = self._cost()
        context = self._describe(tenant, exchange.conversation)
        self._left -= self._cost() - begun
        return replace(exchange, context=context)
