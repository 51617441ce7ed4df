"""Server-sent events: cutting a stream into events, and writing one."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import msgspec

from prunus.providers.blocks import decode_or

DONE: Final = b"data: [DONE]\n\n"
"""How OpenAI's Chat Completions ends a stream."""
_BLANK: Final = re.compile(rb"\r?\n\r?\n")
_BLANK_LENGTH: Final = 4
_LONGEST: Final = 4 * 1024 * 1024
"""Bytes after which something without an end is no event, and passes."""


class ServerEvent(NamedTuple):
    """One event, parsed once for all who look at it."""

    raw: bytes
    data: Any = None
    """The JSON of the event; None if it has none."""


class Events:
    """Cuts chunks into whole events, each with the blank line behind it."""

    __slots__ = ("_rest", "_seen")

    def __init__(self) -> None:
        self._rest = bytearray()
        self._seen = 0
        """How many bytes of the rest are known to hold no blank line."""

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that are complete with this chunk."""
        self._rest += chunk
        ends = [blank.end() for blank in _BLANK.finditer(self._rest, self._seen)]
        found = []
        at = 0
        for end in ends:
            raw = bytes(self._rest[at:end])
            found.append(ServerEvent(raw, data_of(raw)))
            at = end
        del self._rest[:at]
        self._seen = max(0, len(self._rest) - _BLANK_LENGTH + 1)
        if len(self._rest) > _LONGEST:
            found.append(ServerEvent(self.rest()))
        return found

    def rest(self) -> bytes:
        """The bytes behind the last whole event."""
        rest, self._rest, self._seen = bytes(self._rest), bytearray(), 0
        return rest


def data_of(raw: bytes) -> Any:
    """The JSON of an event; None if it has none."""
    lines = [line[5:].strip() for line in raw.splitlines() if line.startswith(b"data:")]
    return decode_or(b"\n".join(lines), None) if lines else None


def event(data: Any, name: str = "") -> bytes:
    """One event as bytes."""
    head = b"event: %b\n" % name.encode() if name else b""
    return b"%bdata: %b\n\n" % (head, msgspec.json.encode(data))


def typed(data: Any) -> bytes:
    """One event as bytes, named after the type that its data has."""
    return event(data, str(data["type"]))
