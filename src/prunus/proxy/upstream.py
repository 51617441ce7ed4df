"""Sends requests to the providers through one pool of connections. It adds, follows and decodes nothing."""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from typing import Final

from prunus.proxy.address import ServerAddress
from prunus.proxy.connection import BrokenOff
from prunus.proxy.dial import Unreachable
from prunus.proxy.encoding import Decoder, can_decode, decoder_of
from prunus.proxy.headers import Headers, value_of
from prunus.proxy.http1 import Malformed, request_head
from prunus.proxy.pool import Pool, UpstreamExchange

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
    """The answer of an upstream, as it arrives."""

    def __init__(self, pool: Pool, exchange: UpstreamExchange) -> None:
        assert exchange.reader.head is not None
        self._pool = pool
        self._exchange = exchange
        self.status: int = exchange.reader.head.status
        self.headers: Headers = exchange.reader.head.headers

    async def chunks(self) -> AsyncIterator[bytes]:
        """The bytes of the body, in the pieces in which they arrive; no more is read than is taken."""
        while piece := await self.next_piece():
            yield piece

    async def next_piece(self) -> bytes:
        """The next bytes of the body; none where it is complete."""
        try:
            return await self._exchange.next_piece()
        except _FAULTS as error:
            raise _no_answer(error) from error

    @property
    def encoding(self) -> str:
        """The content encoding of the body."""
        return value_of(self.headers, b"content-encoding")

    async def read(self) -> bytes:
        """The whole body, decoded where that can be done."""
        raw = b"".join([chunk async for chunk in self.chunks()])
        return decode_chunk(decoder_of(self.encoding), raw) if can_decode(self.encoding) else raw

    def close(self) -> None:
        """Let the upstream know that nobody listens any more; a complete answer keeps its connection."""
        self._pool.give(self._exchange)


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
        name: str,
        method: str,
        path: str,
        query: str,
        headers: Headers,
        body: bytes | AsyncIterator[bytes] | None,
        length: int | None = None,
    ) -> Answer:
        """Ask an upstream; `length` is that of a body that comes in pieces, where it is known."""
        place = self._places[name]
        length = len(body) if isinstance(body, bytes) else length
        try:
            head = request_head(method, place.target(path, query), place.headers(headers, length, body is not None))
        except Malformed as error:
            raise NoAnswer(400, f"the request cannot be passed on: {error}") from error
        repeatable = method in _REPEATABLE and (body is None or isinstance(body, bytes))
        try:
            while True:
                connection, used = await self._pool.take(place)
                exchange = UpstreamExchange(place, connection, method)
                try:
                    await exchange.ask(head, body, chunked=body is not None and length is None)
                except BaseException as error:
                    self._pool.give(exchange)
                    # A connection that waited in the pool may have been closed at the moment it was used.
                    if used and repeatable and exchange.reader.untouched and isinstance(error, _FAULTS):
                        continue
                    raise
                return Answer(self._pool, exchange)
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
