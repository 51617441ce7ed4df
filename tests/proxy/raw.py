"""Both ends of HTTP as bare sockets: an upstream that answers with given bytes, and a client that sends them."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import urlsplit

import h11

from tests.proxy.caller import PATIENCE

__all__ = ["RawUpstream", "Seen", "ask", "request", "talk"]

HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"te", b"trailer", b"upgrade"}


class RawUpstream:
    """Answers every request with `answer`, byte for byte, then ends the connection as `end` says.

    With `stay` it ends the connection only where the client asks for that; with `cut` without a word of TLS.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
        self.end: Literal["close", "cut", "reset", "stay"] = "close"
        self.asked: list[bytes] = []
        """Requests as they came, with their bodies as they were framed."""
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        if self._tls is not None:
            try:
                line = self._tls.wrap_socket(line, server_side=True)
            except OSError:
                return
        with line:
            while asked := _request(line):
                self.asked.append(asked)
                line.sendall(self.answer)
                if self.end == "reset":
                    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if self.end == "close" and isinstance(line, ssl.SSLSocket):
                    with suppress(OSError):
                        line.unwrap()
                if self.end != "stay" or b"connection: close" in asked.lower():
                    return


def _request(line: socket.socket) -> bytes:
    got = b""
    while True:
        head, end, body = got.partition(b"\r\n\r\n")
        fields = [field.lower().partition(b":") for field in head.split(b"\r\n")]
        lengths = [int(value) for name, _, value in fields if name == b"content-length"]
        chunked = any(name == b"transfer-encoding" for name, _, _ in fields)
        if end and (body.endswith(b"0\r\n\r\n") if chunked else len(body) >= sum(lengths[:1])):
            return got
        try:
            piece = line.recv(65_536)
        except OSError:
            return b""
        if not piece:
            return b""
        got += piece


@dataclass(frozen=True, slots=True)
class Seen:
    """An answer as a client understands it."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    """Those of the message, not of the connection."""
    body: bytes
    whole: bool

    def header(self, name: bytes) -> bytes | None:
        return next((value for key, value in self.headers if key == name), None)


def request(
    method: str = "POST", target: str = "/v1/x", *lines: bytes, body: bytes = b"", close: bool = True
) -> bytes:
    """A request as bytes; `lines` are headers."""
    head = [f"{method} {target} HTTP/1.1".encode(), b"host: localhost", *lines]
    head += [b"connection: close"] if close else []
    head += [b"content-length: %d" % len(body)] if body else []
    return b"\r\n".join([*head, b"", body])


def ask(url: str, sent: bytes) -> tuple[bytes, bool]:
    """All bytes that come back until the connection ends, and whether it was ended in order."""
    place = urlsplit(url)
    got = b""
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=PATIENCE) as line:
        line.sendall(sent)
        try:
            while piece := line.recv(65_536):
                got += piece
        except ConnectionResetError:
            return got, False
    return got, True


def talk(url: str, sent: bytes) -> Seen:
    """Send a request and read the answer as a strict client does."""
    method, target, _ = sent.split(b"\r\n", 1)[0].split(b" ")
    got, ended = ask(url, sent)
    client = h11.Connection(h11.CLIENT, max_incomplete_event_size=10_000_000)
    client.send(h11.Request(method=method, target=target, headers=[("host", "x")]))
    client.send(h11.EndOfMessage())
    client.receive_data(got)
    if ended:
        client.receive_data(b"")
    status, headers, body = 0, (), b""
    while True:
        try:
            event = client.next_event()
        except h11.RemoteProtocolError:
            return Seen(status, headers, body, whole=False)
        if isinstance(event, h11.Response):
            status = event.status_code
            headers = tuple((name, value) for name, value in event.headers if name not in HOP)
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            return Seen(status, headers, body, whole=True)
        elif not isinstance(event, h11.InformationalResponse):
            return Seen(status, headers, body, whole=False)
