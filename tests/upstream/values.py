"""What passes between the script, the wires and the server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["TRIGGER", "Call", "Json", "Past", "Tool", "Turn", "Usage", "Wire", "pieces", "sse"]

Json = dict[str, Any]
TRIGGER = "compaction_trigger"
"""The type of an item of the Responses API that asks for the history as one item."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a request declares."""

    name: str
    properties: frozenset[str] = frozenset()
    custom: bool = False
    """Whether it takes free text instead of arguments."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a history says has happened, in the words of no provider."""

    ids: tuple[str, ...]
    said: tuple[str, ...]
    """What the model said."""
    heard: tuple[str, ...]
    """What the user and the client said."""
    results: Mapping[str, str]
    """The text of each result, by the id of its call."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call that the model makes."""

    id: str
    name: str
    arguments: Json | str


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model answers: thinking, words, calls."""

    step: int
    text: str
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    tag: str = ""
    """The conversation, for signatures."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one exchange, at four characters each."""

    fresh: int = 0
    """Input that was neither read from the cache nor written to it."""
    read: int = 0
    written: int = 0
    output: int = 0

    @property
    def input(self) -> int:
        """All the input of the request."""
        return self.fresh + self.read + self.written

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.fresh + other.fresh,
            self.read + other.read,
            self.written + other.written,
            self.output + other.output,
        )


class Wire(Protocol):
    """One provider's language."""

    format: str
    """Its name in `tests.validity`."""

    def tools(self, body: Json) -> tuple[Tool, ...]:
        """What the request declares."""

    def past(self, body: Json) -> Past:
        """What its history tells."""

    def head(self, body: Json) -> list[Any]:
        """What stands before the messages in the provider's cache."""

    def messages(self, body: Json) -> list[Json]:
        """The messages, without cache markers and in one spelling."""

    def by_model(self, message: Json) -> bool:
        """Whether the model made this message."""

    def thinks(self, body: Json) -> bool:
        """Whether the request asks for thinking."""

    def lifetime(self, body: Json) -> float:
        """Seconds for which the provider would cache this request; 0 where it would not."""

    def signatures(self, body: Json) -> Iterator[str]:
        """What is wrong with the signed thinking that came back."""

    def refusals(self, body: Json) -> Iterator[str]:
        """What else this provider refuses."""

    def answer(self, body: Json, turn: Turn, usage: Usage) -> Json:
        """The whole answer as one object."""

    def events(self, body: Json, turn: Turn, usage: Usage) -> Iterator[bytes]:
        """The answer as a stream."""

    def error(self, status: int, message: str) -> Json:
        """An error as this provider words it."""


def pieces(text: str, count: int = 5) -> Iterator[str]:
    """A text in a few parts, as a stream would bring it."""
    size = max(1, -(-len(text) // count))
    for start in range(0, len(text), size):
        yield text[start : start + size]


def sse(data: Json, event: str = "") -> bytes:
    """One event of a stream."""
    return (f"event: {event}\n" if event else "").encode() + b"data: " + json.dumps(data).encode() + b"\n\n"
