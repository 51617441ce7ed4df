"""Messages saved as they are sent: a request, the list of its messages, or lines of either.

Nothing in them tells which agent wrote them; the format is told by their shape, as for any request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from prunus.clients.fields import rows, text
from prunus.clients.recording import Recording
from prunus.errors import FormatError
from prunus.history import Marker, Opaque
from prunus.providers import ALL, Provider, encode, frame
from prunus.providers.frame import PROMPT

_LISTS: Final = frozenset(format.field for format in ALL)
_SENT: Final = (*PROMPT, "previous_response_id")

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plain:
    """The messages of one conversation."""

    format: Provider
    messages: tuple[Message, ...]
    body: Mapping[str, Any] = field(default_factory=dict)
    """The request around them; empty for a list alone, of which nobody knows whether it was sent to its end."""
    unusable: int = 0
    """Records between them that are no messages."""

    @property
    def model(self) -> str:
        """The model that the request names, if it does."""
        return text(self.body.get("model"))

    @property
    def envelope(self) -> dict[str, Any]:
        """What the provider reads beside the messages; collectors put fields of their own there too."""
        return {key: self.body[key] for key in _SENT if key in self.body and key != "model"}


def format_of(body: Any) -> Provider:
    """The format of a request or of a list of messages; FormatError where it is neither."""
    return frame(encode(body)).format


def plain_lists(recording: Recording) -> list[Plain]:
    """The conversations of a file; one of lines has a request in each of them, or one message in each."""
    if isinstance(recording.document, list):
        found = [_bare(recording.document)]
    else:
        requests = [request for line in recording.lines if (request := _request(line))]
        found = list(requests) or [_bare(recording.lines)]
    return [one for one in found if one is not None]


def _request(body: Message) -> Plain | None:
    clean = {
        key: rows(value) if key in _LISTS and isinstance(value, list) else value for key, value in body.items()
    }
    try:
        format = format_of(clean)
    except FormatError:
        return None
    if isinstance(clean[format.field], str) and "model" in clean:
        clean[format.field] = [{"role": "user", "content": clean[format.field]}]
        body = clean
    messages = rows(clean[format.field])
    if not any(_reads(format, message) for message in messages):
        return None
    return Plain(format, tuple(messages), clean, len(body[format.field]) - len(messages))


def _bare(listed: Sequence[Any]) -> Plain | None:
    """A list of messages; what no format reads does not tell in which one the others are written."""
    objects = rows(list(listed))
    told = [message for message in objects if any(_reads(format, message) for format in ALL)]
    format = _format_of_list(told)
    if format is None:
        return None
    held = objects if _format_of_list(objects) is format else told
    messages = tuple(message for message in held if "role" in message or format.parse(message, b"").parts)
    return Plain(format, messages, unusable=len(listed) - len(messages))


def _format_of_list(messages: Iterable[Message]) -> Provider | None:
    listed = list(messages)
    try:
        return format_of(listed) if listed else None
    except FormatError:
        return None


def _reads(format: Provider, message: Message) -> bool:
    """Whether the format finds something that it knows."""
    return any(not isinstance(part, Opaque | Marker) for part in format.parse(message, b"").parts)
