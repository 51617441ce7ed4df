"""What a reader of answers does, whatever the format.

The answer of one hop is fed to it as it comes, and what the client may see comes out. Calls of the hidden tools
are withheld, and with them the end of the message, until it is known whether the turn goes on. A further hop is
spliced into the message that the client is reading already.

Output tokens are added up over the hops. Input tokens stay those of the newest hop: clients take them for the size
of the context and would compact too early if they were added.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from prunus.agent.sse import Event

__all__ = ["BETWEEN", "HiddenCall", "Wire", "count", "fields"]

_UNREAD: Final = (msgspec.MsgspecError, RecursionError, LookupError, TypeError, ValueError, AttributeError)
"""What reading raises where an answer has another shape than its format."""

BETWEEN: Final = "\n\n"
"""What a client sees between the words of two hops, where its format has one text for both."""


@dataclass(frozen=True, slots=True)
class HiddenCall:
    """A call that the client does not see."""

    id: str
    tool: str
    arguments: Mapping[str, Any] | str
    before: int
    """How many visible calls of the message stand before it."""
    block: Any = None
    """The call as the provider wrote it."""


class Wire(ABC):
    """Reads the answers of one turn, hop by hop."""

    def __init__(self, ids: Container[str], tools: Container[str], *, streaming: bool) -> None:
        """`ids` are those that the model may repeat, `tools` those whose calls the client must not see."""
        self._ids = ids
        self._tools = tools
        self._streaming = streaming
        self._body = bytearray()
        """The answer of this hop, where it does not stream."""
        self._hop = 0
        self._output = 0
        """Output tokens of the hops before."""
        self.whole = False
        """Whether the hop came to its proper end."""

    def feed(self, events: Iterable[Event]) -> bytes:
        """What the client gets for some events, or for a piece of an answer that does not stream."""
        if self._streaming:
            return b"".join(map(self._passed, events))
        for piece in events:
            self._body += piece.raw
        return b""

    def _passed(self, event: Event) -> bytes:
        try:
            return self._event(event.raw, event.data)
        except _UNREAD:
            return event.raw

    def finish(self) -> bytes:
        """The hop is over: what is left of it for the client, apart from the end of the message."""
        if self._streaming:
            return self._rest()
        try:
            self._read(msgspec.json.decode(self._body))
        except _UNREAD:
            self.whole = False
        return b""

    @abstractmethod
    def _event(self, raw: bytes, data: Any) -> bytes:
        """What the client gets for an event."""

    @abstractmethod
    def _read(self, answer: Any) -> None:
        """Take in an answer that came whole."""

    def _rest(self) -> bytes:
        """What is left at the end of a stream."""
        return b""

    def _hides(self, tool: object) -> bool:
        """Whether a call of this tool is hidden."""
        return isinstance(tool, str) and tool in self._tools

    @property
    @abstractmethod
    def hidden(self) -> list[HiddenCall]:
        """The hidden calls of this hop."""

    @property
    @abstractmethod
    def visible(self) -> list[str]:
        """The ids of the visible calls of this hop."""

    @abstractmethod
    def said(self) -> list[Any]:
        """The messages of this hop, hidden calls included, as they go back to the model."""

    @abstractmethod
    def text(self) -> str:
        """The words that the client has seen in all hops."""

    def again(self) -> None:
        """A further hop follows."""
        self._hop += 1
        self._body = bytearray()
        self.whole = False

    @abstractmethod
    def close(self) -> bytes:
        """The end of the message for the client; an answer that could not be read goes out as it came."""


def fields(value: object) -> dict[str, Any]:
    """An object inside an answer; empty where there is none."""
    return dict(value) if isinstance(value, dict) else {}


def count(tokens: object) -> int:
    """A number of tokens that a provider tells; 0 where it tells none."""
    return tokens if isinstance(tokens, int) else 0
