"""A pool of connections to upstreams, and one request and its answer on a connection."""

from __future__ import annotations

import asyncio
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Final

from prunus.proxy.address import ServerAddress
from prunus.proxy.connection import BrokenOff, Connection
from prunus.proxy.dial import dial
from prunus.proxy.http1 import AnswerReader, chunk

_PIECE: Final = 256 * 1024
"""Bytes of a body that are handed to the transport at a time."""
_PARKED: Final = 15.0
"""Seconds that a connection waits for another request; providers close theirs later."""


class UpstreamExchange:
    """One request and its answer on a connection."""

    def __init__(self, place: ServerAddress, connection: Connection, method: str) -> None:
        self.place = place
        self.connection = connection
        self.reader = AnswerReader(method)
        self.over = False
        self._sender: asyncio.Task[None] | None = None
        self._first = b""
        """Bytes of the body that came together with the headers."""

    async def ask(self, head: bytes, body: bytes | AsyncIterator[bytes] | None, *, chunked: bool) -> None:
        """Send a request, and wait for the headers of its answer, which may come before all is sent."""
        if body is None or (isinstance(body, bytes) and len(body) <= _PIECE):
            self.connection.write_soon(head, body or b"")
        else:
            pieces = _pieces(body) if isinstance(body, bytes) else body
            self._sender = asyncio.create_task(self._send(head, pieces, chunked))
        while self.reader.head is None:
            self._first = await self._read()

    async def next_piece(self) -> bytes:
        """The next bytes of the answer's body; none where it is complete."""
        piece, self._first = self._first, b""
        while not piece and not self.reader.complete:
            piece = await self._read()
        return piece

    @property
    def reusable(self) -> bool:
        """Whether the connection is at the beginning of another exchange."""
        sent = self._sender is None or self._sender.done()
        return sent and self.reader.reusable and self.connection.usable

    def abort(self) -> None:
        """End the exchange and its connection."""
        if self._sender is not None:
            self._sender.cancel()
        self.connection.abort()

    async def _read(self) -> bytes:
        data = await self.connection.read()
        if data:
            return self.reader.feed(data)
        self.reader.end()
        return b""

    async def _send(self, head: bytes, pieces: AsyncIterator[bytes], chunked: bool) -> None:
        connection = self.connection
        try:
            await connection.write(head)
            connection.feeding = True
            async for piece in pieces:
                connection.feeding = False
                await connection.write(chunk(piece) if chunked else piece)
                connection.feeding = True
            connection.feeding = False
            if chunked:
                await connection.write(chunk(b""))
        except BrokenOff:
            pass  # whoever reads the answer finds out, and an answer may have come before
        except Exception as error:
            connection.fail(error)


class Pool:
    """Open connections by their place."""

    def __init__(self, connect_timeout: float, idle_timeout: float) -> None:
        self._connect_timeout = connect_timeout
        self._idle_timeout = idle_timeout
        self._parked: defaultdict[ServerAddress, list[Connection]] = defaultdict(list)
        self._closed = False
        self._context: ssl.SSLContext | None = None

    async def open(self) -> ssl.SSLContext:
        """Read the certificates, in a thread because that takes longer than others should wait."""
        if self._context is None:
            self._context = await asyncio.to_thread(_new_context)
        return self._context

    async def take(self, place: ServerAddress) -> tuple[Connection, bool]:
        """A connection for one exchange, and whether it was used before."""
        parked = self._parked[place]
        while parked:
            connection = parked.pop()
            if connection.usable:
                connection.take()
                return connection, True
        async with asyncio.timeout(self._connect_timeout):
            return await dial(place, self._idle_timeout, await self.open()), False

    def give(self, exchange: UpstreamExchange) -> None:
        """End an exchange: keep its connection where another request can use it, close it elsewhere."""
        if exchange.over:
            return
        exchange.over = True
        if self._closed or not exchange.reusable:
            exchange.abort()
            return
        parked = self._parked[exchange.place]
        parked[:] = [connection for connection in parked if connection.usable]
        parked.append(exchange.connection)
        exchange.connection.park(_PARKED)

    def close(self) -> None:
        """Close all connections that wait, and keep none from now on."""
        self._closed = True
        for parked in self._parked.values():
            for connection in parked:
                connection.abort()
        self._parked.clear()


def _new_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    view = memoryview(body)
    for at in range(0, len(body), _PIECE):
        yield view[at : at + _PIECE]  # type: ignore[misc]  # the transport takes any buffer
