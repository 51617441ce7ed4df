"""Writes exchanges to the store in a thread of its own, so that no disk holds up an answer."""

from __future__ import annotations

from queue import Empty, Full, Queue
from threading import Thread
from typing import Final

from prunus.proxy.faults import Faults
from prunus.store.records import Exchange
from prunus.store.store import Store

__all__ = ["Recorder"]

_WAITING: Final = 10_000
"""Exchanges that may wait for a slow store; more are not recorded."""
_PATIENCE: Final = 5.0
"""Seconds that the end of the proxy may wait for the store."""


class Recorder:
    """A queue in front of a store."""

    def __init__(self, store: Store, faults: Faults) -> None:
        self._store = store
        self._faults = faults
        self._queue: Queue[tuple[str, Exchange] | None] = Queue(_WAITING)
        self._thread = Thread(target=self._write, name="prunus-recorder", daemon=True)
        self._thread.start()

    def put(self, tenant: str, exchange: Exchange) -> None:
        """Have an exchange written soon."""
        try:
            self._queue.put_nowait((tenant, exchange))
        except Full:
            self._faults.report("store", "too slow, exchanges are not recorded")

    def close(self) -> None:
        """Write what waits, and stop."""
        try:
            self._queue.put(None, timeout=_PATIENCE)
        except Full:
            self._drop()
            self._queue.put_nowait(None)
        self._thread.join(_PATIENCE)

    def _drop(self) -> None:
        try:
            while True:
                self._queue.get_nowait()
        except Empty:
            self._faults.report("store", "too slow, exchanges are not recorded")

    def _write(self) -> None:
        while (entry := self._queue.get()) is not None:
            try:
                self._store.record(*entry)
            except Exception as error:
                self._faults.report("store", error)
