"""The way to the providers: one pool of connections, nothing added, nothing followed, nothing decoded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from prunus.proxy.headers import Headers
from prunus.proxy.route import join

__all__ = ["Answer", "NoAnswer", "Upstream"]

_PIECE: Final = 256 * 1024
"""Bytes of a body that are handed to the transport at a time."""
_LONGEST_HEADER: Final = 64 * 1024
_AUTOMATIC: Final = ("Accept", "Accept-Encoding", "User-Agent", "Content-Type")


class NoAnswer(Exception):
    """The upstream gave no answer, or broke it off; the text names no secret."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Answer:
    """What an upstream answers, as it comes."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self.status: int = response.status
        self.headers: Headers = response.raw_headers

    async def chunks(self) -> AsyncIterator[bytes]:
        """The bytes of the body, in the pieces in which they arrive; no more is read than is taken."""
        content = self._response.content
        try:
            while chunk := await content.readany():
                yield chunk
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise _no_answer(error) from error

    def close(self) -> None:
        """Let the upstream know that nobody listens any more; a complete answer keeps its connection."""
        self._response.close()


class Upstream:
    """All upstreams of the settings."""

    def __init__(self, addresses: Mapping[str, str], connect_timeout: float, idle_timeout: float) -> None:
        self._addresses = dict(addresses)
        self._through = {name: _proxy_for(address) for name, address in addresses.items()}
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=connect_timeout, sock_read=idle_timeout)
        self._session: aiohttp.ClientSession | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._addresses

    def address(self, name: str) -> str:
        """The address of an upstream, as the settings have it."""
        return self._addresses[name]

    async def open(self) -> None:
        """Make the pool, on the running loop."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=60),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=self._timeout,
            auto_decompress=False,
            skip_auto_headers=_AUTOMATIC,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
        )

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def send(
        self,
        name: str,
        method: str,
        path: str,
        query: str,
        headers: list[tuple[str, str]],
        body: bytes | AsyncIterator[bytes] | None,
        length: int | None = None,
    ) -> Answer:
        """Ask an upstream; `length` is that of a body that comes in pieces, where it is known."""
        assert self._session is not None, "not open"
        url = join(self._addresses[name], path) + (f"?{query}" if query else "")
        sent = CIMultiDict(headers)
        if isinstance(body, bytes):
            length = len(body)
            body = _pieces(body) if length > _PIECE else body
        if length is not None:
            sent["Content-Length"] = str(length)
        try:
            response = await self._session.request(
                method,
                URL(url, encoded=True),
                headers=sent,
                data=body,
                allow_redirects=False,
                proxy=self._through[name],
            )
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            raise _no_answer(error) from error
        return Answer(response)


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    view = memoryview(body)
    for at in range(0, len(body), _PIECE):
        yield view[at : at + _PIECE]  # type: ignore[misc]  # the transport takes any buffer


def _proxy_for(address: str) -> str | None:
    """The proxy that the environment wants between us and an upstream."""
    parts = urlsplit(address)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    found = getproxies().get(parts.scheme)
    return found if found and found.startswith("http") else None


def _no_answer(error: Exception) -> NoAnswer:
    if isinstance(error, asyncio.TimeoutError):
        return NoAnswer(504, "the upstream did not answer in time")
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return NoAnswer(502, "the certificate of the upstream is not valid")
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return NoAnswer(502, "the name of the upstream is not known")
    if isinstance(error, aiohttp.ClientConnectorError):
        return NoAnswer(502, "the upstream cannot be reached")
    return NoAnswer(502, f"the upstream broke off ({type(error).__name__})")
