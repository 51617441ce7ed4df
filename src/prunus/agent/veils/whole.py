"""Answers that come whole: held until they are complete, and cut in their bytes."""

from __future__ import annotations

from typing import Any

import msgspec

from prunus.agent.sse import Event
from prunus.agent.veils.veil import Screen
from prunus.splice import Path, splice

__all__ = ["WholeVeil"]


class WholeVeil:
    """One JSON document; a list of them is what Gemini streams to those who do not ask for events."""

    def __init__(self, format: str, screen: Screen) -> None:
        self._format = format
        self._screen = screen
        self._chunks: list[bytes] = []

    def take(self, event: Event) -> list[Event]:
        self._chunks.append(event.raw)
        return []

    def finish(self, tail: bytes) -> tuple[list[Event], bytes]:
        raw = b"".join((*self._chunks, tail))
        self._chunks.clear()
        try:
            answer = msgspec.json.decode(raw)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return [Event(raw)], b""
        changes = self._changes(answer)
        return [Event(splice(raw, changes) if changes else raw)], b""

    def _changes(self, answer: Any) -> dict[Path, bytes]:
        if not isinstance(answer, list):
            return self._screen.answer(self._format, answer)
        return {
            (at, *path): value
            for at, one in enumerate(answer)
            for path, value in self._screen.answer(self._format, one).items()
        }
