"""Sends requests to the providers through one pool of connections. It adds, follows and decodes nothing."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from typing import Final

from prunus.proxy.address import ServerAddress
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.connection import BrokenOff, Connection
from prunus.proxy.encoding import Decoder, can_decode, decoder_of
from prunus.proxy.headers import Headers, request_headers, value_of
from prunus.proxy.http1 import AnswerReader, Malformed, chunk, request_head
from prunus.proxy.pool import Pool, Unreachable
from prunus.proxy.route import Route

_PIECE: Final = 256 * 1024
"""Bytes of a body that are handed to the transport at a time."""
_REPEATABLE: Final = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE")
"""Methods that may be sent twice (RFC 9110, 9.2.2)."""
_FAULTS: Final = (TimeoutError, BrokenOff, Malformed)
"""The exceptions that can occur on an open connection."""


class NoAnswer(Exception):
    """The upstream gave no answer, or broke it off; the text names no secret."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Answer:
    """One request on a connection, and its answer as it arrives."""

    def __init__(self, pool: Pool, place: ServerAddress, connection: Connection, method: str) -> None:
        self._pool = pool
        self._place = place
        self._connection = connection
        self._reader = AnswerReader(method)
        self._sender: asyncio.Task[None] | None = None
        self._first = b""
        """Bytes of the body that came together with the headers."""
        self._over = False
        self.status = 0
        self.headers: Headers = ()

    async def ask(self, head: bytes, body: bytes | AsyncIterator[bytes] | None, *, chunked: bool) -> None:
        """Send the request, and wait for the headers of its answer, which may come before all is sent."""
        if body is None or (isinstance(body, bytes) and len(body) <= _PIECE):
            self._connection.write_soon(head, body or b"")
        else:
            pieces = _pieces(body) if isinstance(body, bytes) else body
            self._sender = asyncio.create_task(self._send(head, pieces, chunked))
        while self._reader.head is None:
            self._first = await self._read()
        self.status, self.headers = self._reader.head.status, self._reader.head.headers

    async def next_piece(self) -> bytes:
        """The next bytes of the body as they arrive, none where it is complete; no more is read than is taken."""
        piece, self._first = self._first, b""
        try:
            while not piece and not self._reader.complete:
                piece = await self._read()
        except _FAULTS as error:
            raise _no_answer(error) from error
        return piece

    @property
    def untouched(self) -> bool:
        """Whether not a single byte has come."""
        return self._reader.untouched

    @property
    def encoding(self) -> str:
        """The content encoding of the body."""
        return value_of(self.headers, b"content-encoding")

    async def read(self) -> bytes:
        """The whole body, decoded where that can be done."""
        pieces = []
        while piece := await self.next_piece():
            pieces.append(piece)
        raw = b"".join(pieces)
        return decode_chunk(decoder_of(self.encoding), raw) if can_decode(self.encoding) else raw

    def close(self) -> None:
        """Let the upstream know that nobody listens any more; a complete answer keeps its connection."""
        if self._over:
            return
        self._over = True
        sent = self._sender is None or self._sender.done()
        if sent and self._reader.reusable:
            self._pool.give(self._place, self._connection)
            return
        if self._sender is not None:
            self._sender.cancel()
        self._connection.abort()

    async def _read(self) -> bytes:
        data = await self._connection.read()
        if data:
            return self._reader.feed(data)
        self._reader.end()
        return b""

    async def _send(self, head: bytes, pieces: AsyncIterator[bytes], chunked: bool) -> None:
        connection = self._connection
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


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    view = memoryview(body)
    for at in range(0, len(body), _PIECE):
        yield view[at : at + _PIECE]  # type: ignore[misc]  # the transport takes any buffer


def decode_chunk(decoder: Decoder, chunk: bytes) -> bytes:
    """A chunk without its content encoding."""
    try:
        return decoder.feed(chunk)
    except Exception as error:  # each library has its own
        raise NoAnswer(502, "the upstream sent an answer that cannot be decompressed") from error


class Upstream:
    """All upstreams of the settings."""

    def __init__(self, addresses: Mapping[str, str], connect_timeout: float, idle_timeout: float) -> None:
        self._places = {
            name: ServerAddress.parse(address, f"upstreams.{name}") for name, address in addresses.items()
        }
        self._pool = Pool(connect_timeout, idle_timeout)

    def __contains__(self, name: str) -> bool:
        return name in self._places

    async def open(self) -> None:
        """Get ready for connections."""
        await self._pool.open()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    async def send(
        self,
        route: Route,
        request: ClientRequest,
        body: bytes | AsyncIterator[bytes] | None,
        *,
        changed: bool = False,
        plain: bool = False,
    ) -> Answer:
        """Ask an upstream with the headers of a request; a body that comes in pieces is that of the request.

        A `changed` body is not encoded. A `plain` answer is asked for without content encoding.
        """
        place, method = self._places[route.upstream], request.method
        length = len(body) if isinstance(body, bytes) else request.length
        given = request_headers(request.headers, changed=changed, plain=plain)
        headers = place.headers(given, length, body is not None)
        try:
            head = request_head(method, place.target(route.path, request.query), headers)
        except Malformed as error:
            raise NoAnswer(400, f"the request cannot be passed on: {error}") from error
        repeatable = method in _REPEATABLE and (body is None or isinstance(body, bytes))
        try:
            while True:
                connection, used = await self._pool.take(place)
                answer = Answer(self._pool, place, connection, method)
                try:
                    await answer.ask(head, body, chunked=body is not None and length is None)
                except BaseException as error:
                    answer.close()
                    # A connection that waited in the pool may have been closed at the moment it was used.
                    if used and repeatable and answer.untouched and isinstance(error, _FAULTS):
                        continue
                    raise
                return answer
        except (*_FAULTS, Unreachable, OSError) as error:
            raise _no_answer(error) from error


def _no_answer(error: Exception) -> NoAnswer:
    match error:
        case TimeoutError():
            return NoAnswer(504, "the upstream did not answer in time")
        case ssl.SSLCertVerificationError():
            return NoAnswer(502, "the certificate of the upstream is not valid")
        case socket.gaierror():
            return NoAnswer(502, "the name of the upstream is not known")
        case Malformed():
            return NoAnswer(502, f"the upstream's answer cannot be passed on: {error}")
        case BrokenOff():
            return NoAnswer(502, f"the upstream broke off: {error}")
        case Unreachable():
            return NoAnswer(502, f"the upstream cannot be reached: {error}")
    return NoAnswer(502, "the upstream cannot be reached")
