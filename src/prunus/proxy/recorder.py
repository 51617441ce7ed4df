"""Writes exchanges to the store in a separate thread, so that no disk delays an answer.

Exchanges that end at about the same time are written in one short transaction, so that requests hardly wait for the
store. Only the numbers of an exchange wait here: its receipts and the memo of its conversation were committed
before the request was sent.
"""

from __future__ import annotations

from collections import deque
from threading import Event, Thread
from typing import Final

from prunus.proxy.contexts import Contexts, Describe, TenantExchange
from prunus.proxy.faults import Faults
from prunus.store.records import Exchange
from prunus.store.store import Store, StoreError

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
            ready = self._contexts.added(batch)
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
