"""A hidden exchange as it is kept, under a key of `belonging`.

The client stores one message in which all hops of a turn are merged. The record says what stood before its last
hop, so that later requests can show the model its own turn as it was.
"""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["Mixed", "Record"]


class Mixed(msgspec.Struct, frozen=True):
    """A hidden call that was made beside visible ones."""

    call: Any
    id: str
    tool: str
    text: str
    before: int


class Record(msgspec.Struct, frozen=True):
    """What the client does not know of one turn."""

    format: str
    messages: list[Any] = []
    """The hops before the last one, with their hidden calls and results."""
    text: str = ""
    """The words that the client saw of them."""
    thoughts: list[str] = []
    """Signatures or texts of the reasoning that it saw of them."""
    mixed: list[Mixed] = []
    """Hidden calls of the last hop."""

    def dump(self) -> bytes:
        return msgspec.json.encode(self)

    @classmethod
    def load(cls, raw: bytes) -> Record | None:
        try:
            return msgspec.json.decode(raw, type=cls)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return None
