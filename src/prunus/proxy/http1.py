"""HTTP/1.1 for a client, without I/O: writes the bytes of a request, and parses the bytes of an answer.

A client behind the proxy must get exactly what it would get directly. So the parser keeps header names and values
byte for byte, and accepts any number of headers, any three-digit status from 100 on, and lines that end in a bare
LF. It refuses an answer whose end is not certain (RFC 9112, 6.3), and headers that cannot be forwarded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from prunus.proxy.headers import Headers, tokens_of

_LONGEST_HEAD: Final = 1024 * 1024
"""Bytes of status line and headers, and of trailers."""
_LONGEST_LINE: Final = 16 * 1024
"""Bytes of the line before a chunk."""
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE: Final = re.compile(rb"HTTP/(\d\.\d)[ \t]+(\d{3})(?:[ \t].*)?")
_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_CHUNK_SIZE: Final = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
_CHUNK_LINE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})\r\n")
"""The line before a chunk as nearly every server writes it."""
_LENGTH: Final = re.compile(rb"\d{1,18}")
_BODILESS: Final = (204, 304)


class Malformed(Exception):
    """An answer, or a header, that is not HTTP; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of an answer; its length is named at most once, and not beside chunks."""

    status: int
    headers: Headers


def request_head(method: str, target: str, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The bytes before the body of a request."""
    lines = [f"{method} {target} HTTP/1.1".encode("latin-1")]
    for name, value in headers:
        _check_header(name, value)
        lines.append(name + b": " + value)
    return b"\r\n".join([*lines, b"", b""])


def chunk(data: bytes) -> bytes:
    """A piece of a body whose length is not known beforehand; an empty one is the end."""
    return b"%x\r\n%b\r\n" % (len(data), data)


class AnswerReader:
    """Reads one answer; interim answers (1xx) are skipped."""

    def __init__(self, method: str) -> None:
        self._method = method
        self._held = bytearray()
        self._body: _Body = _Sized(0)
        self._persistent = False
        self.head: Head | None = None

    @property
    def complete(self) -> bool:
        """Whether all of the answer was read."""
        return self.head is not None and self._body.complete

    @property
    def reusable(self) -> bool:
        """Whether the connection can carry another request."""
        return self.complete and self._persistent and not self._body.rest

    @property
    def untouched(self) -> bool:
        """Whether not a single byte has come."""
        return self.head is None and not self._held

    def feed(self, data: bytes) -> bytes:
        """Take bytes of the connection, and give those that belong to the body."""
        if self.head is None:
            rest = self._take_head(data)
            return self._body.feed(rest) if rest else b""
        return self._body.feed(data)

    def end(self) -> None:
        """The upstream has closed the connection in order."""
        if self.head is None:
            raise Malformed("it closed the connection before it answered")
        if not self._body.complete:
            self._body.end()

    def _take_head(self, data: bytes) -> bytes:
        start = max(0, len(self._held) - 3)
        self._held += data if self._held else data.lstrip(b"\r\n")
        while (found := _HEAD_END.search(self._held, start)) is not None:
            status, persistent, headers = _parse_head(bytes(self._held[: found.start()]))
            if status == 101:
                raise Malformed("it switched to another protocol, which nobody asked for")
            rest = bytes(self._held[found.end() :])
            if status >= 200:
                self.head, self._body = _framed(self._method, status, headers)
                self._persistent = persistent and not isinstance(self._body, _Endless)
                self._held.clear()
                return rest
            self._held[:], start = rest.lstrip(b"\r\n"), 0
        if len(self._held) > _LONGEST_HEAD:
            raise Malformed(f"its headers are longer than {_LONGEST_HEAD:,} bytes")
        return b""


def _parse_head(raw: bytes) -> tuple[int, bool, Headers]:
    """Status, whether the connection stays open, and headers."""
    first, *lines = raw.split(b"\n")
    found = _STATUS_LINE.fullmatch(first.rstrip(b"\r"))
    if found is None:
        raise Malformed("it does not speak HTTP/1.1")
    status = int(found[2])
    if status < 100:
        raise Malformed(f"its status {status:03} does not exist in HTTP")
    headers: list[tuple[bytes, bytes]] = []
    for line in lines:
        line = line.removesuffix(b"\r")
        if line[:1] in (b" ", b"\t"):
            if not headers:
                raise Malformed("it has a header without a name")
            name, value = headers.pop()
            value += b" " + line.strip(b" \t")
        else:
            name, colon, value = line.partition(b":")
            name = name.rstrip(b" \t")
            if not colon:
                raise Malformed("it has a header line without a colon")
        value = value.strip(b" \t")
        _check_header(name, value)
        headers.append((name, value))
    persistent = found[1] == b"1.1" and b"close" not in tokens_of(headers, b"connection")
    return status, persistent, tuple(headers)


def _check_header(name: bytes, value: bytes) -> None:
    if not _NAME.fullmatch(name) or _CONTROLS.search(value):
        raise Malformed("a header holds characters that HTTP does not allow")


def _framed(method: str, status: int, headers: Headers) -> tuple[Head, _Body]:
    """How the end of the body is told, by RFC 9112, 6.3."""
    codings = [coding for coding in tokens_of(headers, b"transfer-encoding") if coding != b"identity"]
    lengths = {*tokens_of(headers, b"content-length")}
    if codings or status == 204:
        headers = _without(headers, b"content-length")
    elif lengths:
        [length, *others] = lengths
        if others or not _LENGTH.fullmatch(length):
            raise Malformed("its Content-Length cannot be understood")
        headers = (*_without(headers, b"content-length"), (b"content-length", length))
    head = Head(status, headers)
    if method == "HEAD" or status in _BODILESS or (method == "CONNECT" and 200 <= status < 300):
        return head, _Sized(0)
    if codings:
        if codings != [b"chunked"]:
            raise Malformed("it uses a transfer coding that nobody asked for")
        return head, _Chunked()
    return head, _Sized(int(next(iter(lengths)))) if lengths else _Endless()


def _without(headers: Headers, gone: bytes) -> Sequence[tuple[bytes, bytes]]:
    return tuple((name, value) for name, value in headers if name.lower() != gone)


class _Body(Protocol):
    """Finds the end of a body."""

    complete: bool
    rest: bool
    """Whether bytes came behind the end."""

    def feed(self, data: bytes) -> bytes:
        """The bytes of the body among those of the connection."""

    def end(self) -> None:
        """The connection was closed; raises where the body is not complete."""


class _Sized:
    """A body of a length that was said before."""

    def __init__(self, length: int) -> None:
        self._left = length
        self.complete = not length
        self.rest = False

    def feed(self, data: bytes) -> bytes:
        self.rest = self.rest or len(data) > self._left
        data = data[: self._left]
        self._left -= len(data)
        self.complete = not self._left
        return data

    def end(self) -> None:
        raise Malformed(f"it broke off {self._left:,} bytes before the end of its answer")


class _Endless:
    """A body that ends with its connection."""

    def __init__(self) -> None:
        self.complete = False
        self.rest = False

    def feed(self, data: bytes) -> bytes:
        return data

    def end(self) -> None:
        self.complete = True


class _Chunked:
    """A body in chunks; trailers are left out."""

    def __init__(self) -> None:
        self._held = b""
        self._left = 0
        """Bytes that the chunk still has to bring."""
        self._trailers = -1
        """Bytes of trailers; -1 before the last chunk."""
        self._closing = False
        """Whether the line end behind a chunk is due."""
        self.complete = False
        self.rest = False

    def feed(self, data: bytes) -> bytes:
        data = self._held + data if self._held else data
        pieces: list[bytes] = []
        at = self._take_whole(data, pieces) if not self._left and not self._closing and self._trailers < 0 else 0
        while not self.complete:
            if self._left:
                piece = data[at : at + self._left]
                pieces.append(piece)
                at += len(piece)
                self._left -= len(piece)
                if self._left:
                    break
                self._closing = True
            end = data.find(b"\n", at)
            if end < 0:
                if len(data) - at > _LONGEST_LINE:
                    raise Malformed("one of its chunks has no size")
                break
            self._take_line(data[at:end].removesuffix(b"\r"))
            at = end + 1
        self._held = data[at:] if not self.complete else b""
        self.rest = self.complete and (self.rest or at < len(data))
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def end(self) -> None:
        raise Malformed("it broke off before the end of its answer")

    @staticmethod
    def _take_whole(data: bytes, pieces: list[bytes]) -> int:
        """Take the chunks that have come whole, the last one aside; return where they end."""
        at = 0
        while (line := _CHUNK_LINE.match(data, at)) is not None:
            start = line.end()
            end = start + int(line[1], 16)
            if end == start or data[end : end + 2] != b"\r\n":
                break
            pieces.append(data[start:end])
            at = end + 2
        return at

    def _take_line(self, line: bytes) -> None:
        if self._closing:
            if line:
                raise Malformed("one of its chunks is longer than it says")
            self._closing = False
        elif self._trailers >= 0:
            self._trailers += len(line)
            self.complete = not line
            if self._trailers > _LONGEST_HEAD:
                raise Malformed("its trailers are too long")
        else:
            found = _CHUNK_SIZE.fullmatch(line)
            if found is None:
                raise Malformed("one of its chunks has no size")
            self._left = int(found[1], 16)
            self._trailers = -1 if self._left else 0
