"""Answers of Gemini: each chunk holds its calls whole, so that nothing but their intent is taken out."""

from __future__ import annotations

from typing import Any

from prunus.json.splice import Path
from prunus.providers.answer_stream import AnswerStream
from prunus.providers.filters import changed_value
from prunus.providers.provider import Api
from prunus.providers.sse import ServerEvent, event


class GeminiStream(AnswerStream):
    """The answers of `:streamGenerateContent`, as events or as one list of chunks."""

    def __init__(self, api: Api, **given: Any) -> None:
        super().__init__(api, **given)
        self._head = b""
        """The bytes so far, until one of them shows whether events or a list will follow."""
        self._begun = False

    def feed(self, chunk: bytes) -> bytes:
        if not self._begun:
            self._head += chunk
            opening = self._head.lstrip()[:1]
            if not opening:
                return b""
            chunk, self._head, self._begun = self._head, b"", True
            # A list is one document, even if the client asked for a stream.
            self._streaming = self._streaming and opening != b"["
        return super().feed(chunk)

    def finish(self) -> bytes:
        return self._head + super().finish()

    def _event(self, answer: ServerEvent) -> bytes:
        changes = self._changes(answer.data)
        return event(changed_value(answer.data, changes)) if changes else answer.raw

    def _read(self, answer: Any) -> None:
        self.whole = True

    def _changes(self, answer: Any) -> dict[Path, bytes]:
        if not isinstance(answer, list):
            return super()._changes(answer)
        found = [super(GeminiStream, self)._changes(one) for one in answer]
        return {(at, *path): value for at, changes in enumerate(found) for path, value in changes.items()}
