"""Prepares requests within a deadline, and in threads if that may take long.

A short step of a conversation at hand takes a millisecond or two, and then one answer of the store. A short request
of another conversation takes little more. Both are prepared on the event loop, unless a thread prepares another
request. Handing a request to a thread and back takes more than the loop loses while it waits for a store nearby.
With three replicas on Postgres and 330 requests a second, steps added 7.6 ms in threads and 3.3 ms on the loop
(median), and 43 ms and 11 ms (99th percentile). A store that answers slowly is waited for in threads (`LoopWaits`).

Every other request is prepared in a thread, so that conversations wait neither for each other nor for a large
request. The pruner stops looking at the deadline, between two messages. If a single message takes longer, or all
threads are busy, the request is prepared a second time without a look, with the edits in force. The first of the
two that finishes is sent, and only that one is recorded. Messages that were not looked at are caught up with in the
background, so that the next request of the conversation does not wait for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from time import monotonic, thread_time
from typing import Final, Protocol, TypeVar

from prunus.outcome import Outcome
from prunus.proxy.exchange import Arrived, Prepared
from prunus.proxy.tenant import Tenant


class Looked(Protocol):
    """The result of a look at a request."""

    @property
    def outcome(self) -> Outcome[bytes] | None:
        """The outcome of pruning the request; None if it was not pruned."""


T = TypeVar("T")
L = TypeVar("L", bound=Looked)
Look = Callable[[float, Callable[[], bool]], T]
"""Looks at a request until a deadline, and claims the right to be sent."""

_THREADS: Final = 4
"""Python runs one of them at a time. One thread with a large request must not keep the others waiting, and one that
waits for the store must not keep the processor idle; more threads would only take turns."""
_SHARE: Final = 0.2
"""The share of the time for which the event loop may wait for the store."""
_SAVED: Final = 0.1
"""The most seconds of waiting that the loop saves up."""
_OWED: Final = 6.0
"""The most seconds of waiting that the loop owes after long ones; threads then prepare every request for 30 s."""
_SHORT: Final = 0.004
"""A wait of so many seconds counts once, and one that is n times as long counts n times as much a second."""
_MARGIN: Final = 0.25
"""Seconds behind the deadline in which a look that ended in time is written."""


class Claim:
    """The right to be sent for a request; the first attempt that takes the claim has it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._taken = False

    def take(self) -> bool:
        """Take it; False where somebody else has."""
        with self._lock:
            free, self._taken = not self._taken, True
            return free


class LoopWaits:
    """Decides whether the event loop may wait for the store again."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._left = _SAVED
        """The seconds for which the loop may wait; below zero after long waits."""
        self._counted = clock()
        """The time up to which `_left` has grown."""

    def may_wait(self) -> bool:
        now = self._clock()
        self._left = min(_SAVED, self._left + (now - self._counted) * _SHARE)
        self._counted = now
        return self._left > 0.0

    def add(self, seconds: float) -> None:
        """Count a wait."""
        self._left = max(-_OWED, self._left - seconds * max(1.0, seconds / _SHORT))


class Preparing:
    """The threads in which requests are prepared."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._threads = ThreadPoolExecutor(_THREADS, "prunus-pruner")
        self._spare = ThreadPoolExecutor(_THREADS, "prunus-writer")
        self._behind = ThreadPoolExecutor(1, "prunus-catching-up")
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking = 0
        """Requests that threads prepare now."""
        self._waits = LoopWaits()

    async def prepare(self, tenant: Tenant, arrived: Arrived) -> Prepared:
        """Return what to send for a request, at the latest at the deadline."""
        prepared = self._at_once(tenant, arrived)
        if prepared is None:
            return await self.in_time(tenant, partial(tenant.prepare, arrived))
        self._look_later(tenant, prepared.outcome)
        return prepared

    async def in_time(self, tenant: Tenant, look: Look[L]) -> L:
        """Return the result of a look at a request, at the latest at the deadline."""
        result = await self._look_until(look)
        self._look_later(tenant, result.outcome)
        return result

    async def go_on(self, tenant: Tenant, prepared: Prepared, body: bytes) -> Prepared:
        """Return what to send for a further model call of the same turn, at the latest at the deadline."""
        outcome = await self._look_until(partial(tenant.look_again, prepared, body))
        self._look_later(tenant, outcome)
        return await asyncio.to_thread(tenant.go_on, prepared, outcome)

    def _at_once(self, tenant: Tenant, arrived: Arrived) -> Prepared | None:
        """Return what to send for a short step of a conversation; None if a thread has to prepare it."""
        if self._looking or self._tasks or not self._waits.may_wait():
            return None
        begun, worked = monotonic(), thread_time()
        prepared = tenant.prepare_at_once(arrived, self._deadline)
        seconds = monotonic() - begun
        # A thread does all the work of a failed attempt again, so that counts as if the loop had waited.
        self._waits.add(seconds if prepared is None else max(0.0, seconds - (thread_time() - worked)))
        return prepared

    async def _look_until(self, look: Look[T]) -> T:
        """Return the result of a look in a thread; if that takes too long, the result without a look."""
        loop = asyncio.get_running_loop()
        claim, until = Claim(), monotonic() + self._deadline
        looking = loop.run_in_executor(self._threads, lambda: look(max(0.0, until - monotonic()), claim.take))
        self._looking += 1
        try:
            done, _ = await asyncio.wait((looking,), timeout=self._deadline + _MARGIN)
            if done or not claim.take():
                return await looking
            looking.cancel()  # it need not begin if it has not begun
            return await loop.run_in_executor(self._spare, look, 0.0, lambda: True)
        finally:
            self._looking -= 1

    def _look_later(self, tenant: Tenant, outcome: Outcome[bytes] | None) -> None:
        """Schedule a look at skipped messages in the background."""
        if outcome is not None and outcome.behind:
            task = asyncio.get_running_loop().create_task(self._catch_up(tenant, outcome.conversation))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """Let go of the threads; what they still look at is not waited for."""
        for task in self._tasks:
            task.cancel()
        for threads in (self._threads, self._spare, self._behind):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _catch_up(self, tenant: Tenant, conversation: str) -> None:
        """Look at skipped messages, a moment at a time."""
        loop = asyncio.get_running_loop()
        while not await loop.run_in_executor(self._behind, tenant.pruner.catch_up, conversation):
            pass
