"""A listener that several workers share, so that each of them gets its share of the connections.

The kernel lets any worker accept that is awake. Left alone, one of two workers served 11 seconds of CPU and the
other 3. So each worker tells the others how many connections it has. A worker that has more than another leaves a
new connection to the others for a moment. If nobody takes it, because the others are busy or stuck, the worker
takes it itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from ctypes import Array, c_int
from socket import socket
from typing import Final

NOT_LISTENING: Final = 2**31 - 1
"""The count of a worker that accepts no connections: nobody leaves any to it."""
_HEAD_START: Final = 0.003
"""Seconds for which a connection is left to workers that have fewer of them."""
_FULL: Final = 1.0
"""Seconds without another attempt after the system has refused to accept, because too many files are open."""
_IN_VAIN: Final = 4
"""The connections that a worker accepts at once after a head start that nobody used."""

Counts = Array[c_int]
"""The number of connections of each worker, in memory that the workers share."""


class SharedListener:
    """Accepts connections for one worker."""

    def __init__(
        self,
        listener: socket,
        counts: Counts,
        own: int,
        connections: Callable[[], int],
        make: Callable[[], asyncio.Protocol],
    ) -> None:
        """`own` is the place of this worker in `counts`, and `connections` returns its open connections now."""
        self._listener = listener
        self._counts = counts
        self._own = own
        self._connections = connections
        self._make = make
        self._opening: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._later: asyncio.TimerHandle | None = None
        self._closed = False
        listener.setblocking(False)
        self.tell()
        self._listen()

    def tell(self) -> None:
        """Tell the other workers how many connections this one has."""
        if not self._closed:
            self._counts[self._own] = self._connections() + len(self._opening)

    def close(self) -> None:
        """Accept no more connections; the socket stays open."""
        self._closed = True
        self._counts[self._own] = NOT_LISTENING
        self._loop.remove_reader(self._listener)
        if self._later is not None:
            self._later.cancel()

    async def finish_opening(self) -> None:
        """Wait until each accepted connection is open, so that it counts as one."""
        await asyncio.gather(*self._opening)

    def _listen(self) -> None:
        self._loop.add_reader(self._listener, self._on_connection)

    def _pause(self, seconds: float, then: Callable[[], None]) -> None:
        self._loop.remove_reader(self._listener)
        self._later = self._loop.call_later(seconds, then)

    def _on_connection(self) -> None:
        self.tell()
        if self._counts[self._own] > min(self._counts):
            self._pause(_HEAD_START, self._after_head_start)
        else:
            self._accept()

    def _after_head_start(self) -> None:
        self._listen()
        for _ in range(_IN_VAIN):
            if not self._accept():
                break

    def _accept(self) -> bool:
        """Accept a connection; False if no client waits for one any more, or if the system refuses another."""
        try:
            line, _ = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # another worker was faster, or the client has gone
            return False
        except OSError:
            self._pause(_FULL, self._listen)
            return False
        task = self._loop.create_task(self._open(line))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)
        self.tell()
        return True

    async def _open(self, line: socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._make, line)
        except OSError:  # the client has gone
            line.close()
