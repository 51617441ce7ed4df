"""Connections to upstreams: opens them, and keeps those that a later request can use."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import defaultdict, deque
from ipaddress import ip_address
from typing import Any, Final

from aiohappyeyeballs import start_connection

from prunus.proxy.address import ServerAddress
from prunus.proxy.connection import Connection
from prunus.proxy.http1 import AnswerReader, request_head

_PARKED: Final = 15.0
"""Seconds that a connection waits for another request; providers close theirs later."""
_SECOND_ADDRESS: Final = 0.25
"""Seconds before the next address of a name is tried as well (RFC 8305)."""


class Unreachable(Exception):
    """The proxy of the network does not let us through; the text says why."""


class Pool:
    """Open connections by their place."""

    def __init__(self, connect_timeout: float, idle_timeout: float) -> None:
        self._connect_timeout = connect_timeout
        self._idle_timeout = idle_timeout
        self._parked: defaultdict[ServerAddress, deque[Connection]] = defaultdict(deque)
        """The connections that wait, the one that waits longest first."""
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
            return await _dial(place, self._idle_timeout, await self.open()), False

    def give(self, place: ServerAddress, connection: Connection) -> None:
        """Keep a connection for a later request, or close it if none can use it."""
        if self._closed or not connection.usable:
            connection.abort()
            return
        parked = self._parked[place]
        while parked and not parked[0].usable:
            parked.popleft()
        parked.append(connection)
        connection.park(_PARKED)

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


async def _dial(place: ServerAddress, idle: float, context: ssl.SSLContext) -> Connection:
    """Open a connection to a place."""
    loop = asyncio.get_running_loop()
    first = place.through or place
    line = await start_connection(
        await _addresses(first), happy_eyeballs_delay=_SECOND_ADDRESS, interleave=1, loop=loop
    )
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    secure = first.scheme == "https"
    _, connection = await loop.create_connection(
        lambda: Connection(idle),
        sock=line,
        ssl=context if secure else None,
        server_hostname=first.host if secure else None,
    )
    if place.tunnels:
        try:
            await _tunnel(place, connection, context)
        except BaseException:  # Also when cancelled: a connection that nobody holds must not stay open.
            connection.abort()
            raise
    return connection


async def _addresses(place: ServerAddress) -> list[Any]:
    try:
        family = socket.AF_INET6 if ip_address(place.host).version == 6 else socket.AF_INET
    except ValueError:
        loop = asyncio.get_running_loop()
        return await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    tail = (place.host, place.port) if family == socket.AF_INET else (place.host, place.port, 0, 0)
    return [(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", tail)]


async def _tunnel(place: ServerAddress, connection: Connection, context: ssl.SSLContext) -> None:
    """Have the proxy in between connect us, and speak TLS with the upstream through it."""
    assert place.through is not None
    target = f"{place.host}:{place.port}" if ":" not in place.host else f"[{place.host}]:{place.port}"
    headers = [(b"Host", target.encode())]
    headers += [(b"Proxy-Authorization", place.through.login)] if place.through.login else []
    connection.write_soon(request_head("CONNECT", target, headers))
    reader = AnswerReader("CONNECT")
    while reader.head is None:
        data = await connection.read()
        reader.feed(data) if data else reader.end()
    if not 200 <= reader.head.status < 300:
        raise Unreachable(f"the proxy of the network answered {reader.head.status}")
    transport = await asyncio.get_running_loop().start_tls(
        connection.transport, connection, context, server_hostname=place.host
    )
    if transport is None:
        raise Unreachable("the proxy of the network closed the connection")
    connection.connection_made(transport)
