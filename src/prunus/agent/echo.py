"""Keeping the ids that a model repeats away from the client, while its words stream."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from prunus.notes import unechoed

__all__ = ["Echo", "ShownIds"]

_LONGEST: Final = 400
"""Characters that a tag has at most; what is longer is none."""
_SHOWN: Final = re.compile(rb"\[id ([0-9a-f]{6,32})((?:, (?:thinking|text|file) [0-9a-f]{6,32})*)\]")
_OTHER: Final = re.compile(rb" ([0-9a-f]{6,32})")


class ShownIds:
    """The ids that a request shows behind its results, looked for once a model writes something like one."""

    __slots__ = ("_body", "_ids")

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._ids: frozenset[str] | None = None

    def __contains__(self, id: object) -> bool:
        if self._ids is None:
            found = _SHOWN.findall(self._body)
            self._ids = frozenset(id.decode() for first, more in found for id in (first, *_OTHER.findall(more)))
            self._body = b""
        return id in self._ids


class Echo:
    """Takes tags out of a text that comes in pieces; holds back what may become one."""

    __slots__ = ("_held", "_ids")

    def __init__(self, ids: Container[str]) -> None:
        self._ids = ids
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        text = self._held + piece
        at = self._opening(text)
        self._held = text[at:]
        return unechoed(text[:at], self._ids)

    def flush(self) -> str:
        """What was held back, at the end of the text."""
        held, self._held = self._held, ""
        return unechoed(held, self._ids)

    def _opening(self, text: str) -> int:
        """Where something begins that may yet become a tag."""
        at = text.rfind("[")
        if at >= 0 and "]" not in text[at:] and len(text) - at < _LONGEST and _may_be_tag(text[at:]):
            return at
        return len(text)


def _may_be_tag(text: str) -> bool:
    start = "[id "
    return start.startswith(text[: len(start)]) and re.fullmatch(r"[\[id0-9a-f, thinkgex]*", text) is not None
