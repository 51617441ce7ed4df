"""A hidden exchange as it is kept, and the keys under which later requests find it.

The client stores one message in which all hops of a turn are merged. The record says what stood before its last
hop, so that later requests can show the model its own turn as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final

import msgspec

from prunus.agent.exchange import blocks_of, words_of

__all__ = ["Mixed", "Record", "keys_of", "text_key"]

_UNIQUE: Final = 12
"""Ids with this many characters are taken to be unique; some servers count theirs anew in each turn."""


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


def keys_of(format: str, place: int, message: dict[str, Any]) -> Iterator[str]:
    """The keys of a record for this message; its place is how many messages before it are not the model's.

    What a client drops of the model's own words, such as reasoning, does not change that place.
    """
    ids, text = _spoken(format, message)
    for id in ids:
        yield call_key(place, id)
    if not ids and text.strip():
        yield text_key(place, text)


def call_key(place: int, id: str) -> str:
    """By the first visible call behind the exchange."""
    return f"call:{id}" if len(id) >= _UNIQUE else f"call:{place}:{id}"


def text_key(place: int, text: str) -> str:
    """By the words and the place of a message that makes no call."""
    plain = " ".join(text.split()).encode("utf-8", "surrogatepass")
    return f"text:{place}:{blake2b(plain, digest_size=12).hexdigest()}"


def _spoken(format: str, message: dict[str, Any]) -> tuple[list[str], str]:
    """The ids of the calls and the words of a message of the model."""
    content = message.get("content")
    match format:
        case "anthropic_messages":
            blocks = blocks_of(content)
            words = content if isinstance(content, str) else [b for b in blocks if b.get("type") == "text"]
            return [str(b.get("id")) for b in blocks if b.get("type") == "tool_use"], words_of(words)
        case "openai_chat":
            return [str(call.get("id")) for call in blocks_of(message.get("tool_calls"))], words_of(content)
    kind = str(message.get("type", "message"))
    if kind.endswith("_call"):
        return [str(message.get("call_id") or message.get("id"))], ""
    return [], words_of(content) if kind == "message" else ""
