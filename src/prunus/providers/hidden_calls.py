"""Calls that a client does not see, and hidden exchanges as they are kept.

The client stores one message in which all hops of a turn are merged. A `HiddenExchange` says what stood before the
last hop, so that later requests can show the model its own turn as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import msgspec

from prunus.json.splice import Path
from prunus.json.surrogates import decode
from prunus.providers.blocks import UNREAD, decode_or, listed

_NO_JSON: Final = object()
BETWEEN: Final = "\n\n"
"""The text between the words of two hops, if the format has one text for both."""


@dataclass(frozen=True, slots=True)
class CallSite:
    """The arguments of one call, and where they stand."""

    path: Path
    id: str
    tool: str
    arguments: Any
    """A text, or an object if the format has one."""

    @classmethod
    def read(cls, path: Path, id: Any, tool: Any, arguments: Any) -> CallSite:
        return cls(path, id if isinstance(id, str) else "", tool if isinstance(tool, str) else "", arguments)

    @property
    def text(self) -> str:
        """The arguments as JSON."""
        if isinstance(self.arguments, str):
            return self.arguments
        return msgspec.json.encode(self.arguments).decode()

    @property
    def canonical(self) -> str:
        """The arguments with sorted keys and no spaces, however the client spells them."""
        value = decode_or(self.arguments, _NO_JSON) if isinstance(self.arguments, str) else self.arguments
        return self.text if value is _NO_JSON else msgspec.json.encode(value, order="sorted").decode()

    def written(self, text: str) -> bytes:
        """Other arguments in the shape of these."""
        return msgspec.json.encode(text) if isinstance(self.arguments, str) else text.encode()


@dataclass(frozen=True, slots=True)
class HiddenCall:
    """A call that the client does not see."""

    id: str
    tool: str
    arguments: Mapping[str, Any] | str
    block: Any
    """The call as the provider wrote it."""
    before: int = 0
    """How many visible calls of the message stand before it."""


class MixedCall(msgspec.Struct, frozen=True):
    """A hidden call that was made beside visible ones, and its result."""

    call: Any
    id: str
    tool: str
    text: str
    before: int


class HiddenRecord(msgspec.Struct, frozen=True):
    """Something that the client does not know. The store holds it as JSON, so its fields keep their names."""

    def dump(self) -> bytes:
        return msgspec.json.encode(self)

    @classmethod
    def load(cls, raw: bytes) -> Self | None:
        try:
            return msgspec.json.decode(raw, type=cls)
        except UNREAD:
            return None


class HiddenExchange(HiddenRecord, frozen=True):
    """The hops and calls of one turn that the client does not know."""

    format: str
    messages: list[Any] = []
    """The hops before the last one, with their hidden calls and results."""
    text: str = ""
    """The words that the client saw of those hops."""
    thoughts: list[str] = []
    """Signatures or texts of the reasoning that the client saw of those hops."""
    mixed: list[MixedCall] = []
    """Hidden calls of the last hop."""


def numbered(items: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects in a list, each with its index."""
    return ((i, item) for i, item in enumerate(listed(items)) if isinstance(item, dict))


def below(path: Path, sites: Iterable[CallSite]) -> Iterator[CallSite]:
    """The call sites in a value, with their paths in the larger value that holds it at `path`."""
    return (replace(site, path=(*path, *site.path)) for site in sites)


def decoded(message: Any) -> dict[str, Any]:
    """A message as an object, whether it is decoded yet or not; empty if it is no object."""
    value = decode(message) if isinstance(message, msgspec.Raw) else message
    return value if isinstance(value, dict) else {}


def without_start(text: str, start: str) -> tuple[str, str] | None:
    """A text without the words of earlier hops at its start, and the part of those words that the text lacks.

    None if the text starts with other words.
    """
    if text.startswith(start):
        return text[len(start) :], ""
    # Some clients trim what they keep.
    said, trimmed = text.strip(), start.strip()
    if said.startswith(trimmed):
        return said[len(trimmed) :].lstrip("\n"), ""
    if trimmed.startswith(said):
        return "", trimmed[len(said) :]
    return None


def insert_counted(items: list[Any], item: Any, before: int, counts: Callable[[Mapping[str, Any]], bool]) -> None:
    """Insert an item behind the first `before` items that count."""
    places = [i for i, other in enumerate(items) if isinstance(other, Mapping) and counts(other)]
    at = places[before] if before < len(places) else (places[-1] + 1 if places else len(items))
    items.insert(at, item)
