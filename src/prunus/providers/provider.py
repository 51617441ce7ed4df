"""What every format provides, and the few readings they share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import msgspec

from prunus.history import Message
from prunus.splice import Path
from prunus.surrogates import decode

__all__ = ["Provider", "as_json", "data_url", "decode_arguments", "kind_of", "texts_of"]


class Provider(Protocol):
    """One provider's way of writing a history."""

    name: ClassVar[str]
    field: ClassVar[str]
    """The key of the body that holds the list."""

    def parse(self, message: Mapping[str, Any], raw: bytes) -> Message:
        """One element of the list, as a message."""


def as_json(value: object) -> str:
    """A value as compact JSON text."""
    return msgspec.json.encode(value).decode()


def decode_arguments(arguments: object) -> Mapping[str, Any] | str:
    """Arguments that travel as JSON in a string; what is no JSON object stays a string."""
    if isinstance(arguments, Mapping):
        return arguments
    if not isinstance(arguments, str):
        return as_json(arguments)
    try:
        value = decode(arguments)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments


def kind_of(block: object) -> str:
    """The type that a block gives itself, as a text, whatever it gives."""
    return str(block.get("type") if isinstance(block, dict) else None)


def data_url(url: object) -> tuple[str, int]:
    """Media type and base64 length of a `data:` URL; a plain reference has length 0."""
    if not isinstance(url, str) or not url.startswith("data:"):
        return "", 0
    head, _, data = url.partition(",")
    return head[5:].partition(";")[0], len(data)


def texts_of(blocks: list[Any], at: Path, kinds: frozenset[str]) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """The texts in a list of blocks, and where each of them stands."""
    found = [
        (block["text"], (*at, i, "text"))
        for i, block in enumerate(blocks)
        if isinstance(block, dict) and kind_of(block) in kinds and isinstance(block.get("text"), str)
    ]
    return tuple(text for text, _ in found), tuple(path for _, path in found)
