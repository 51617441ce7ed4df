"""Reading the answers of one turn, whatever the format.

A turn is one message for the client, and one or more answers ("hops") of the provider. The bytes of a hop are fed
to an `AnswerStream`, and the bytes that the client may see come out. Calls of hidden tools are held back, and with
them the end of the message, until Prunus knows whether the turn goes on. A further hop is spliced into the message
that the client is already reading. Ids and intents are taken out on the way. Whatever cannot be read passes as it
came.

Output tokens are added up over the hops. Input tokens stay those of the newest hop: clients take them for the size
of the context and would compact too early if they were added.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterator
from dataclasses import replace
from typing import Any, Final

import msgspec

from prunus.json.splice import Path, splice
from prunus.providers.blocks import UNREAD
from prunus.providers.filters import IntentFilter
from prunus.providers.hidden_calls import HiddenCall
from prunus.providers.provider import Api
from prunus.providers.sse import Events, ServerEvent

_MISSHAPEN: Final = (*UNREAD, LookupError, TypeError, ValueError, AttributeError)
"""The exceptions that reading raises if an answer does not have the shape of its format."""

NOTHING_SAID: Final = "Done."
"""The words that a client gets if the model made only hidden calls."""


class AnswerStream(ABC):
    """Reads the answers of one turn, hop by hop."""

    def __init__(
        self,
        api: Api,
        *,
        streaming: bool,
        ids: Container[str] = (),
        tools: Container[str] = (),
        intents: IntentFilter | None = None,
    ) -> None:
        """See `Api.stream`."""
        self._api = api
        self._streaming = streaming
        self._ids = ids
        self._tools = tools
        self._intents = intents
        self._events = Events()
        self._chunks: list[bytes] = []
        self._hop = 0
        self._output = 0
        """Output tokens of the hops before."""
        self._begin()

    def _begin(self) -> None:
        """Set up everything that belongs to one hop alone."""
        self._body = b""
        """The answer of this hop, if it does not stream."""
        self.whole = False
        """Whether the hop came to its proper end."""

    def feed(self, chunk: bytes) -> bytes:
        """Return the bytes that the client gets for a chunk of the answer."""
        if not self._streaming:
            self._chunks.append(chunk)
            return b""
        events = self._events.feed(chunk)
        if self._intents is not None:
            events = [shown for event in events for shown in self._without_intents(event)]
        return b"".join(map(self._passed, events))

    def finish(self) -> bytes:
        """End the hop. Return the bytes that the client still has to get of it, without the end of the message."""
        if self._streaming:
            return b"".join(map(self._passed, self._held_events())) + self._rest() + self._events.rest()
        self._take_whole(b"".join(self._chunks))
        return b""

    def _passed(self, event: ServerEvent) -> bytes:
        try:
            return self._event(event)
        except _MISSHAPEN:
            return event.raw

    def _without_intents(self, event: ServerEvent) -> list[ServerEvent]:
        """The events to pass on for one event of the provider. Arguments are held back until they are complete."""
        return [event]

    def _take_whole(self, body: bytes) -> None:
        """Take in an answer that came whole, without its intents."""
        self._body = body
        self._chunks.clear()
        try:
            answer = msgspec.json.decode(body)
            changes = self._changes(answer)
            if changes:
                self._body = splice(body, changes)
                answer = msgspec.json.decode(self._body)
            self._read(answer)
        except _MISSHAPEN:
            self.whole = False

    def _changes(self, answer: Any) -> dict[Path, bytes]:
        return {} if self._intents is None else self._intents.changes(self._api.calls_in_answer(answer))

    def _hides(self, tool: object) -> bool:
        """Whether a call of this tool is hidden."""
        return isinstance(tool, str) and tool in self._tools

    def again(self) -> None:
        """A further hop follows."""
        self._output += count(self._output_tokens())
        self._hop += 1
        self._begin()

    def _output_tokens(self) -> object:
        """The output tokens of this hop, as the provider states them."""
        return 0

    @abstractmethod
    def _event(self, event: ServerEvent) -> bytes:
        """The bytes that the client gets for an event."""

    def _held_events(self) -> list[ServerEvent]:
        """The events that `_without_intents` still holds back when the stream ends."""
        return []

    def _rest(self) -> bytes:
        """The words that are still held back when the stream ends."""
        return b""

    @abstractmethod
    def _read(self, answer: Any) -> None:
        """Take in an answer that came whole."""

    @property
    def hidden(self) -> list[HiddenCall]:
        """The hidden calls of this hop."""
        found: list[HiddenCall] = []
        for number, call in enumerate(self._calls_made()):
            if self._hides(call.tool):
                found.append(replace(call, before=number - len(found)))
        return found

    @property
    def visible(self) -> list[str]:
        """The ids of the visible calls of this hop."""
        return [call.id for call in self._calls_made() if not self._hides(call.tool)]

    def _calls_made(self) -> Iterator[HiddenCall]:
        """All calls of this hop, visible ones too, in the form of hidden calls."""
        return iter(())

    def said(self) -> list[Any]:
        """The messages of this hop, hidden calls included, as they go back to the model."""
        return []

    def text(self) -> str:
        """The words that the client has seen in all hops."""
        return ""

    def close(self) -> bytes:
        """Return the end of the message for the client; an answer that could not be read is returned unchanged."""
        return self._body


def fields(value: object) -> dict[str, Any]:
    """A copy of an object inside an answer; empty if the value is no object."""
    return dict(value) if isinstance(value, dict) else {}


def count(tokens: object) -> int:
    """A number of tokens that a provider states; 0 if it states none."""
    return tokens if isinstance(tokens, int) else 0
