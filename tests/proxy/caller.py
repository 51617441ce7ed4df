"""The simplest client: one request over one connection, headers and bytes as they are."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

__all__ = ["PATIENCE", "Answered", "call", "dial"]

PATIENCE = 600
"""Seconds after which an answer will not come, however slow the machine."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


def call(
    url: str, method: str, target: str, body: bytes | None = None, headers: Iterable[tuple[str, str]] = ()
) -> Answered:
    """Send one request and read the whole answer."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE)
    given = list(headers)
    try:
        connection.putrequest(
            method, target, skip_host=any(k == "host" for k, _ in given), skip_accept_encoding=True
        )
        for name, value in given:
            connection.putheader(name, value)
        if body is not None and not any(name == "transfer-encoding" for name, _ in given):
            connection.putheader("content-length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        return Answered(response.status, tuple(response.getheaders()), response.read())
    finally:
        connection.close()


def dial(url: str, target: str, body: bytes, *more: str) -> socket.socket:
    """Send a request over a raw socket; what comes back is for the test to read, or not to."""
    place = urlsplit(url)
    line = socket.create_connection((place.hostname or "", place.port or 80), timeout=PATIENCE)
    head = [f"POST {target} HTTP/1.1", f"Host: {place.netloc}", f"Content-Length: {len(body)}", *more, "", ""]
    line.sendall("\r\n".join(head).encode() + body)
    return line
