"""Answers that come whole: held until they are complete, and cut in their bytes."""

from __future__ import annotations

from typing import Any

import msgspec

from prunus.agent.veils.veil import Screen
from prunus.splice import Path, splice

__all__ = ["WholeVeil"]


class WholeVeil:
    """One JSON document; a list of them is what Gemini streams to those who do not ask for events."""

    def __init__(self, format: str, screen: Screen) -> None:
        self._format = format
        self._screen = screen
        self._chunks: list[bytes] = []

    def feed(self, chunk: bytes) -> bytes:
        self._chunks.append(chunk)
        return b""

    def finish(self) -> bytes:
        raw = b"".join(self._chunks)
        self._chunks.clear()
        try:
            answer = msgspec.json.decode(raw)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return raw
        changes = self._changes(answer)
        return splice(raw, changes) if changes else raw

    def _changes(self, answer: Any) -> dict[Path, bytes]:
        if not isinstance(answer, list):
            return self._screen.answer(self._format, answer)
        return {
            (at, *path): value
            for at, one in enumerate(answer)
            for path, value in self._screen.answer(self._format, one).items()
        }
