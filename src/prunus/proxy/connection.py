"""One connection to an upstream, with backpressure in both directions."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, cast

_MOST: Final = 256 * 1024
"""Bytes that are read ahead of the reader."""


class BrokenOff(Exception):
    """The upstream reset the connection, or it was closed while something was written."""


class Connection(asyncio.Protocol):
    """Used by one exchange at a time; a reader that waits longer than `idle` seconds gets a TimeoutError."""

    def __init__(self, idle: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._idle = idle
        self._held: deque[bytes] = deque()
        self._size = 0
        self._paused = False
        self._ended = False
        self._error: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._full: asyncio.Future[None] | None = None
        """Set while the upstream does not take what was written."""
        self._active = 0.0
        """When a byte was last read or written."""
        self._clock: asyncio.TimerHandle | None = None
        self._parked: asyncio.TimerHandle | None = None
        self.feeding = False
        """Whether it is the client that the upstream waits for: then nobody is idle."""

    # What the loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        if hasattr(transport, "set_read_buffer_limits"):
            # TLS: while we do not read, nothing is to be read below either. uvloop drops what it has read and not
            # yet decrypted when it finds the end of the connection.
            transport.set_read_buffer_limits(1, 0)

    def data_received(self, data: bytes) -> None:
        if self._parked is not None:
            self.abort()  # nobody asked for anything: whatever this is, it must not answer the next request
            return
        self._active = self._loop.time()
        self._held.append(data)
        self._size += len(data)
        if self._size > _MOST and not self._paused:
            self._paused = True
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._end(None)

    def connection_lost(self, exc: Exception | None) -> None:
        # An end in order was received before. What is left is a reset, or an end that TLS does not vouch for.
        self._end(BrokenOff("it reset the connection"))

    def pause_writing(self) -> None:
        self._full = self._loop.create_future()

    def resume_writing(self) -> None:
        if self._full is not None and not self._full.done():
            self._full.set_result(None)
        self._full = None

    # What an exchange calls.

    @property
    def usable(self) -> bool:
        """Whether another request can be sent."""
        return not self._ended and not self._held and not self.transport.is_closing()

    async def read(self) -> bytes:
        """The bytes that have come; none where the upstream has closed the connection in order."""
        while not self._held:
            if self._ended:
                if self._error is not None:
                    raise self._error
                return b""
            await self._wait()
        data = self._held[0] if len(self._held) == 1 else b"".join(self._held)
        self._held.clear()
        self._size = 0
        if self._paused:
            self._paused = False
            self.transport.resume_reading()
        return data

    async def write(self, data: bytes) -> None:
        """Send bytes; returns once the upstream can take more."""
        self.write_soon(data)
        if self._full is not None:
            await self._full
            self._active = self._loop.time()

    def write_soon(self, *data: bytes) -> None:
        """Send bytes without waiting; several pieces are not joined, because that would copy them."""
        if self._ended:
            raise BrokenOff("it closed the connection")
        self._active = self._loop.time()
        self.transport.writelines(data)

    def fail(self, error: Exception) -> None:
        """End the exchange with an error of ours; the reader gets it."""
        self._held.clear()
        self._ended = False
        self._end(error)
        self.abort()

    def park(self, seconds: float) -> None:
        """Keep the connection for a later request, for so long."""
        self._stop_clock()
        self._parked = self._loop.call_later(seconds, self.abort)

    def take(self) -> None:
        """Use the connection again."""
        if self._parked is not None:
            self._parked.cancel()
            self._parked = None

    def abort(self) -> None:
        """Close the connection at once."""
        self.take()
        self._stop_clock()
        self.transport.abort()

    def _end(self, error: Exception | None) -> None:
        if self._ended:
            return
        self._ended = True
        self._error = error
        self.take()
        self._stop_clock()
        self._wake()
        if self._full is not None and not self._full.done():
            self._full.set_exception(BrokenOff("it closed the connection"))
            self._full.exception()  # there may be nobody who waits for it

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def _wait(self) -> None:
        self._active = self._loop.time()
        self._reader = self._loop.create_future()
        if self._clock is None:
            self._clock = self._loop.call_later(self._idle, self._tick)
        try:
            await self._reader
        finally:
            self._reader = None

    def _tick(self) -> None:
        """Look whether the upstream has been silent for too long; one clock serves the whole exchange."""
        now = self._loop.time()
        waiting = self._reader is not None and not self._reader.done()
        if self.feeding or not waiting:
            self._active = now
        left = self._active + self._idle - now
        if left > 0:
            self._clock = self._loop.call_later(left, self._tick)
            return
        self._clock = None
        if self._reader is not None and not self._reader.done():
            self._reader.set_exception(TimeoutError())

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
