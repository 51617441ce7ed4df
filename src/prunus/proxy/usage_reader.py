"""Reads the provider's token usage from a copy of its answer.

An answer passes by in chunks. Only those lines of a stream are parsed that mention usage. An answer that is one
JSON document is copied until its end. An answer that cannot be parsed gives no usage, and never an error.
"""

from __future__ import annotations

from typing import Final

import msgspec

from prunus.providers import Api
from prunus.providers.usage import Usage, counts_in, usage_of
from prunus.proxy.encoding import can_decode, decoder_of

_LONGEST: Final = 16 * 1024 * 1024
"""Bytes of a JSON answer, or of one line of a stream, that are looked at."""


class UsageReader:
    """Watches one answer go by."""

    def __init__(self, content_type: str, encoding: str = "", api: Api | None = None) -> None:
        self._api = api
        self._lines = content_type.lower().startswith("text/event-stream")
        self._held = bytearray()
        self._blind = not can_decode(encoding)
        self._decoder = None if self._blind else decoder_of(encoding)
        self._found: dict[str, int] = {}
        self.finished = False
        """The answer says that the model is done and calls no tool; only with an `api`."""

    def feed(self, chunk: bytes) -> None:
        """Take in the next chunk."""
        if self._blind:
            return
        try:
            if self._decoder is not None:
                chunk = self._decoder.feed(chunk)
            self._held += chunk
            if self._lines:
                self._read_lines()
        except Exception:  # an answer that we cannot read is the client's to judge
            self._blind = True
        if len(self._held) > _LONGEST:
            self._blind = True
            self._held.clear()

    def end(self) -> Usage | None:
        """The usage, once the answer is complete or has broken off."""
        if not self._lines and not self._blind and self._held:
            self._take(bytes(self._held))
        elif self._lines and not self._blind and b"sage" in self._held:
            self._take_line(bytes(self._held))
        self._held.clear()
        return usage_of(self._found)

    def _read_lines(self) -> None:
        end = self._held.rfind(b"\n") + 1
        if not end:
            return
        at = self._held.find(b"sage", 0, end)  # "usage", or "usageMetadata"
        while at >= 0:
            line_end = self._held.find(b"\n", at)
            for line in bytes(self._held[self._held.rfind(b"\n", 0, at) + 1 : line_end]).splitlines():
                self._take_line(line)
            at = self._held.find(b"sage", line_end, end)
        del self._held[:end]

    def _take_line(self, line: bytes) -> None:
        if line.startswith(b"data:") and b"sage" in line:
            self._take(line[5:])

    def _take(self, raw: bytes) -> None:
        try:
            value = msgspec.json.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        for event in value if isinstance(value, list) else [value]:
            if isinstance(event, dict):
                self._found.update(counts_in(event))
                self.finished = self.finished or (self._api is not None and self._api.finishes_turn(event))
