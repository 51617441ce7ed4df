"""Server-sent events: cutting a stream into events, and writing one."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

__all__ = ["Events", "data_of", "event"]

_BLANK: Final = re.compile(rb"\r?\n\r?\n")
_LONGEST: Final = 4 * 1024 * 1024
"""Bytes after which something without an end is no event, and passes."""


class Events:
    """Cuts chunks into whole events, each with the blank line behind it."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The events that are complete with this chunk."""
        self._rest += chunk
        found = []
        at = 0
        for blank in _BLANK.finditer(self._rest):
            found.append(self._rest[at : blank.end()])
            at = blank.end()
        self._rest = self._rest[at:]
        if len(self._rest) > _LONGEST:
            found.append(self.rest())
        return found

    def rest(self) -> bytes:
        """What came behind the last whole event."""
        rest, self._rest = self._rest, b""
        return rest


def data_of(raw: bytes) -> Any:
    """The JSON of an event; None where it has none."""
    lines = [line[5:].strip() for line in raw.splitlines() if line.startswith(b"data:")]
    if not lines:
        return None
    try:
        return msgspec.json.decode(b"\n".join(lines))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def event(data: Any, name: str = "") -> bytes:
    """One event as bytes."""
    head = b"event: %b\n" % name.encode() if name else b""
    return b"%bdata: %b\n\n" % (head, msgspec.json.encode(data))
