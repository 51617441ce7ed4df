r"""Read and write JSON with very long strings in pieces, so that other threads can run in between.

msgspec holds the interpreter lock until it has parsed or written a whole text, for 50 ms where a tool result has
32 MB. Meanwhile an event loop answers nobody. So this module finds each string of more than a million bytes, has
msgspec parse the text with a short name in its place, and decodes the string itself piece by piece.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from secrets import token_hex
from typing import Any, Final

import msgspec

from prunus.json.surrogates import LARGE, decode

_LONG: Final = 1_000_000
_PIECE: Final = 500_000
_HUGE: Final = 16_000_000
_NAME: Final = 42
"""The length of a name in place of a long string."""
_TAIL: Final = 4_096
_HOPS: Final = 64
_INSIDE: Final = re.compile(rb'(?:[^"\\]|\\.)++', re.DOTALL)
_PLAIN: Final = re.compile(rb"[^\\]{16}")
_HIGH: Final = rb"\\u[dD][89abAB][0-9a-fA-F][0-9a-fA-F]"
_LOW: Final = rb"\\u[dD][c-fC-F][0-9a-fA-F][0-9a-fA-F]"
_UNITS: Final = re.compile(rb"(?:[^\\]++|%b%b|\\u[0-9a-fA-F]{4}|\\[^u])*+" % (_HIGH, _LOW), re.DOTALL)
_SECOND: Final = re.compile(rb"(?<=%b)%b" % (_HIGH, _LOW))


class ShortenedJson:
    """A JSON text with a short name in place of each long string."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._mark = token_hex(16)
        self._places = _long_strings(body) if len(body) > LARGE else []
        self.text = self._shorten()
        """The text to parse: the body itself where it has no long string."""

    def __bool__(self) -> bool:
        return bool(self._places)

    def _shorten(self) -> bytes:
        if not self._places:
            return self._body
        pieces: list[bytes] = []
        at = 0
        for n, (start, end) in enumerate(self._places):
            pieces += (self._body[at:start], b"%b%010d" % (self._mark.encode(), n))
            at = end
        text = b"".join((*pieces, self._body[at:]))
        try:
            decode(text, msgspec.Raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            # The text is no JSON, or what stands between two quotes is a long list of numbers and no string.
            self._places = []
            return self._body
        return text

    def places(self, places: Sequence[int]) -> list[int]:
        """Return places of the shortened text as places of the body."""
        gains = [0, *accumulate(end - start - _NAME for start, end in self._places)]
        ends = [end - gained for (_, end), gained in zip(self._places, gains[1:], strict=True)]
        return [place + gains[bisect_right(ends, place)] for place in places]

    def restored(self, raw: bytes) -> bytes:
        """Return a piece of the shortened text with its long strings."""
        first, *rest = raw.split(self._mark.encode())
        body = memoryview(self._body)
        pieces: list[bytes | memoryview] = [first]
        for piece in rest:
            start, end = self._places[int(piece[:10])]
            pieces += (body[start:end], piece[10:])
        return join_pieces(pieces) if rest else raw

    def decoded(self) -> Any:
        """Return the value of the body."""
        value = decode(self.text)
        return self._put_back(value) if self._places else value

    def _put_back(self, value: Any) -> Any:
        match value:
            case dict():
                return {self._put_back(key): self._put_back(inner) for key, inner in value.items()}
            case list():
                return [self._put_back(inner) for inner in value]
            case str() if value.startswith(self._mark):
                start, end = self._places[int(value[-10:])]
                return "".join(decode(b'"%b"' % piece, str) for piece in _pieces(self._body[start:end]))
        return value


def stretch(body: bytes, start: int, end: int) -> bytes:
    """Return the bytes between two places."""
    return body[start:end] if end - start < _HUGE else join_pieces([memoryview(body)[start:end]])


def join_pieces(pieces: Sequence[bytes | memoryview]) -> bytes:
    """Return the pieces as one text. Python lets other threads run while it joins, if all pieces are `bytes`."""
    if sum(map(len, pieces)) < _HUGE:
        return b"".join(pieces)
    return b"".join(bytes(one[at : at + _PIECE]) for one in pieces for at in range(0, len(one), _PIECE))


def decode_long(raw: bytes) -> Any:
    """Return the value of a JSON text that may have long strings."""
    return ShortenedJson(raw).decoded() if len(raw) > LARGE else decode(raw)


def encode_in_pieces(value: Any) -> Iterator[bytes]:
    """Return the JSON of a value in pieces that msgspec writes one by one."""
    mark = token_hex(16)
    texts: list[str] = []
    first, *rest = msgspec.json.encode(_without_long_texts(value, mark, texts)).split(mark.encode())
    yield first
    for text, piece in zip(texts, rest, strict=True):
        for at in range(0, len(text), _PIECE):
            yield msgspec.json.encode(text[at : at + _PIECE])[1:-1]
        yield piece


def _without_long_texts(value: Any, mark: str, texts: list[str]) -> Any:
    """The value with a mark in place of each long text; the texts are added to `texts` in their order."""
    match value:
        case dict():
            return {key: _without_long_texts(inner, mark, texts) for key, inner in value.items()}
        case list():
            return [_without_long_texts(inner, mark, texts) for inner in value]
        case str() if len(value) > _LONG:
            texts.append(value)
            return mark
    return value


def _long_strings(body: bytes) -> list[tuple[int, int]]:
    """Find what may be the long strings of a JSON text: where each starts and ends, without its quotes.

    A long string has no quote in some stretch of the text. A stretch with a quote is not looked at any further.
    """
    found = []
    at = 0
    while at + _PIECE < len(body):
        end = _next_quote(body, at)
        if end < at + _PIECE:
            at += _PIECE
            continue
        start = _quote_before(body, at) + 1
        if end - start > _LONG and end < len(body):
            found.append((start, end))
        at = end + 1
    return found


def _next_quote(body: bytes, at: int) -> int:
    """Return the place of the next quote that no backslash escapes; the end of the text if there is none."""
    for _ in range(_HOPS):
        at = body.find(b'"', at)
        if at < 0:
            return len(body)
        if not _is_escaped(body, at):
            return at
        at += 1
    # If many quotes are escaped, a pattern skips them faster.
    while found := _INSIDE.match(body, at, at + _PIECE):
        at = found.end()
        if at < len(body) and body[at] == ord('"'):
            return at
    return len(body)


def _quote_before(body: bytes, at: int) -> int:
    at = body.rfind(b'"', 0, at)
    while at >= 0 and _is_escaped(body, at):
        at = body.rfind(b'"', 0, at)
    return at


def _is_escaped(body: bytes, at: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    start = at
    while start and body[start - 1] == ord("\\"):
        start -= 1
    return (at - start) % 2 == 1


def _pieces(text: bytes) -> Iterator[bytes]:
    """Cut the inside of a JSON string into pieces, each of them the inside of a string."""
    at = 0
    while at < len(text):
        end = _end_of_piece(text, at) if at + _PIECE < len(text) else len(text)
        yield text[at:end]
        at = end


def _end_of_piece(text: bytes, start: int) -> int:
    """Return where a piece can end without cutting an escape or the bytes of a character in two."""
    end = start + _PIECE
    plain = list(_PLAIN.finditer(text, end - _TAIL, end))
    if plain:
        end = plain[-1].end()
    else:
        units = _UNITS.match(text, start, end)
        end = units.end() if units is not None else end
        second = _SECOND.match(text, end)
        end = second.end() if second is not None else end
    while text[end] & 0xC0 == 0x80:
        end -= 1
    return end
