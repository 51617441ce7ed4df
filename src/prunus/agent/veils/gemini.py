"""Gemini: each chunk tells its calls whole."""

from __future__ import annotations

from prunus.agent.sse import Event, made
from prunus.agent.veils.veil import Screen, changed_value
from prunus.agent.veils.whole import WholeVeil

__all__ = ["GeminiVeil"]

_FORMAT = "gemini"


class GeminiVeil:
    """The answers of `:streamGenerateContent`, as events or as one list."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._list: WholeVeil | None = None
        self._begun = False

    def take(self, event: Event) -> list[Event]:
        self._begin(event.raw)
        if self._list is not None:
            return self._list.take(event)
        changes = self._screen.answer(_FORMAT, event.data)
        return [made(changed_value(event.data, changes)) if changes else event]

    def finish(self, tail: bytes) -> tuple[list[Event], bytes]:
        self._begin(tail)
        return ([], tail) if self._list is None else self._list.finish(tail)

    def _begin(self, raw: bytes) -> None:
        if not self._begun and raw.strip():
            self._begun = True
            self._list = WholeVeil(_FORMAT, self._screen) if raw.lstrip()[:1] == b"[" else None
