"""Requests and lists of messages in any wire format, saved as they were sent.

Nothing in such a file tells which agent wrote it. The model was asked for each answer in the history with the
messages before it, so a single request shows the earlier requests. A request was sent to its end; a list of
messages alone may be the history of an agent that stopped there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec

from prunus.clients.chat_turns import as_session, plain_turns
from prunus.clients.recorded_file import JsonObject, Recording, Session, rows, text
from prunus.errors import FormatError
from prunus.history import Marker, Opaque
from prunus.providers import ALL, Provider, digest, encode, frame
from prunus.providers.frame import PROMPT

_CHAT: Final = "openai_chat"
_LISTS: Final = frozenset(format.field for format in ALL)
_SENT: Final = (*PROMPT, *(key for provider in ALL for key in provider.held_by))


@dataclass(frozen=True, slots=True)
class SavedMessages:
    """The messages of one conversation."""

    format: Provider
    messages: tuple[JsonObject, ...]
    body: Mapping[str, Any] = field(default_factory=dict)
    """The request around the messages; empty for a list alone, which may not have been sent to its end."""
    unusable: int = 0
    """Records between the messages that are no messages."""

    @property
    def envelope(self) -> JsonObject:
        """The fields beside the messages that the provider reads; collectors add fields of their own."""
        return {key: self.body[key] for key in _SENT if key in self.body and key != "model"}

    def session(self, asked: Session | None = None, *, model: str = "", unusable: int = 0) -> Session:
        """A session of these messages, named after their format in place of an agent.

        `asked` says where in the messages the model was asked, if other requests show that.
        """
        return replace(
            self._asked() if asked is None else asked,
            agent=self.format.name.replace("_", "-"),
            format=self.format.name,
            model=text(self.body.get("model")) or model,
            skipped=self.unusable + unusable,
            envelope=self.envelope,
        )

    def _asked(self) -> Session:
        """The messages, and where in them the model was asked."""
        found = as_session(plain_turns(self.messages)) if self.format.name == _CHAT else self._as_sent()
        whole = len(found.messages)
        if not self.body or not whole or whole in found.requests:
            return found
        if self.format.parse(found.messages[-1], b"").role == "assistant":
            return found
        return replace(found, requests=(*found.requests, whole), times=(*found.times, None))

    def _as_sent(self) -> Session:
        """The messages unchanged; the model was asked before each of its steps."""
        requests: list[int] = []
        before = ""
        for index, message in enumerate(self.messages):
            read = self.format.parse(message, b"")
            if index and read.role == "assistant" and not (read.joins and before == "assistant"):
                requests.append(index)
            before = read.role
        return Session("", "", "", "", self.messages, tuple(requests), (None,) * len(requests))


def recognise(recording: Recording) -> bool:
    """Whether the file holds messages of any format."""
    return bool(saved_messages(recording))


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each list of messages."""
    for saved in saved_messages(recording):
        yield saved.session()


def format_of(body: Any) -> Provider:
    """The format of a request or of a list of messages; FormatError if the value is neither."""
    return frame(encode(body)).format


def saved_messages(recording: Recording) -> list[SavedMessages]:
    """The conversations of a file. A file of lines has one request on each line, or one message on each."""
    if isinstance(recording.document, list):
        found = [saved_list(recording.document)]
    else:
        requests = [request for line in recording.lines if (request := saved_body(line))]
        found = list(requests) or [saved_list(recording.lines)]
    return [one for one in found if one is not None]


def saved_body(body: JsonObject) -> SavedMessages | None:
    """The messages of a request with its body around them; None if the object is no request."""
    clean = {
        key: rows(value) if key in _LISTS and isinstance(value, list) else value for key, value in body.items()
    }
    format = _known_format(clean)
    if format is None:
        return None
    if isinstance(clean[format.field], str) and "model" in clean:
        clean[format.field] = [{"role": "user", "content": clean[format.field]}]
        body = clean
    messages = rows(clean[format.field])
    if not any(_reads(format, message) for message in messages):
        return None
    return SavedMessages(format, tuple(messages), clean, len(body[format.field]) - len(messages))


def saved_list(listed: Sequence[Any]) -> SavedMessages | None:
    """A list of messages alone. Objects that no format can read do not count when the format is chosen."""
    objects = rows(list(listed))
    readable = [message for message in objects if any(_reads(format, message) for format in ALL)]
    format = _known_format(readable) if readable else None
    if format is None:
        return None
    held = objects if _known_format(objects) is format else readable
    messages = tuple(message for message in held if "role" in message or format.parse(message, b"").parts)
    return SavedMessages(format, messages, unusable=len(listed) - len(messages))


def _known_format(body: Any) -> Provider | None:
    try:
        return format_of(body)
    except FormatError:
        return None


def _reads(format: Provider, message: JsonObject) -> bool:
    """Whether the format finds a part in the message that it knows."""
    return any(not isinstance(part, Opaque | Marker) for part in format.parse(message, b"").parts)


def identity(message: JsonObject) -> bytes:
    """A hash of a message that stays the same if the message is sent again with its cache marker moved."""
    return digest(message, msgspec.json.encode(message))


def without_system(messages: Sequence[JsonObject]) -> list[JsonObject]:
    """The dialogue; system prompts differ between requests, for example by a date."""
    return [message for message in messages if message.get("role") not in ("system", "developer")]


def recorded_requests(
    sent: Sequence[tuple[Sequence[JsonObject], float | None]], whole: Sequence[JsonObject]
) -> Session:
    """A session of the longest request, `whole`, with one request for each of those that it continues.

    `sent` has the messages and the time of each request.
    """
    dialogue = [identity(message) for message in without_system(whole)]
    reached: dict[int, float | None] = {}
    for messages, time in sent:
        said = [identity(message) for message in without_system(messages)]
        if said == dialogue[: len(said)]:
            reached.setdefault(len(messages), time)
    requests = sorted(reached)
    times = tuple(reached[length] for length in requests)
    return Session("", "", "", "", tuple(whole), tuple(requests), times)
