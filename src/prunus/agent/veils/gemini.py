"""Gemini: each chunk tells its calls whole."""

from __future__ import annotations

from prunus.agent.sse import Events, data_of, event
from prunus.agent.veils.veil import Screen, changed_value
from prunus.agent.veils.whole import WholeVeil

__all__ = ["GeminiVeil"]

_FORMAT = "gemini"


class GeminiVeil:
    """The answers of `:streamGenerateContent`, as events or as one list."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._events = Events()
        self._list: WholeVeil | None = None
        self._begun = False

    def feed(self, chunk: bytes) -> bytes:
        if not self._begun and chunk.strip():
            self._begun = True
            self._list = WholeVeil(_FORMAT, self._screen) if chunk.lstrip()[:1] == b"[" else None
        if self._list is not None:
            return self._list.feed(chunk)
        return b"".join(self._event(raw) for raw in self._events.feed(chunk))

    def finish(self) -> bytes:
        return self._events.rest() + (self._list.finish() if self._list is not None else b"")

    def _event(self, raw: bytes) -> bytes:
        data = data_of(raw)
        changes = self._screen.answer(_FORMAT, data)
        return event(changed_value(data, changes)) if changes else raw
