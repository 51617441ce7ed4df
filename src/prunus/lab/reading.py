"""Messages as the lab compares them: each part has a number and a token count.

Two parts have the same number if the model reads the same content. Cache markers make no difference, nor does a
text that is a string in one request and a block in another. The lab omits the client's bookkeeping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from prunus.history import Attachment, Call, Marker, Opaque, Part, Result, Text, Thinking
from prunus.providers import Provider
from prunus.tokens import Counter
from prunus.view.uses import weigh


@dataclass(frozen=True, slots=True)
class Form:
    """One part as a request shows it."""

    number: int
    part: Part
    tokens: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """One message as a request shows it."""

    forms: tuple[Form, ...]
    numbers: tuple[int, ...]
    tokens: int
    pairs: tuple[tuple[str, str], ...]
    """The kind and id of its calls and results, in order."""


class Reader:
    """Reads the messages of one conversation, and caches them by object identity.

    Callers must not change messages in place while the reader exists.
    """

    __slots__ = ("_counter", "_format", "_forms", "_read")

    def __init__(self, format: Provider, counter: Counter | None = None) -> None:
        self._format = format
        self._counter = counter or Counter()
        self._forms: dict[tuple[object, ...], Form] = {}
        # The cache keeps the message itself too, so that no other message gets its address.
        self._read: dict[int, tuple[Mapping[str, Any], Sheet]] = {}

    def sheet(self, message: Mapping[str, Any]) -> Sheet:
        """Return one message of a request."""
        known = self._read.get(id(message))
        if known is None:
            known = self._read[id(message)] = (message, self._sheet(message))
        return known[1]

    def count(self, around: object) -> int:
        """Return the tokens of the request outside its messages."""
        return self._counter.count(msgspec.json.encode(around).decode()) if around else 0

    def _sheet(self, message: Mapping[str, Any]) -> Sheet:
        parts = self._format.parse(message, b"").parts
        forms = tuple(self.form(part) for part in parts if not isinstance(part, Marker))
        pairs = tuple((type(part).__name__, part.id) for part in parts if isinstance(part, Call | Result))
        return Sheet(forms, tuple(form.number for form in forms), sum(form.tokens for form in forms), pairs)

    def form(self, part: Part) -> Form:
        """Return a part with its number and tokens, whether it was ever sent or not."""
        key = _key(part)
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = Form(len(self._forms), part, weigh(part, self._counter))
        return form


def _key(part: Part) -> tuple[object, ...]:
    """Return a key that is equal for parts that the model cannot tell apart."""
    match part:
        case Text(text):
            return "text", text
        case Thinking(text, hidden):
            return "thinking", text, hidden
        case Call():
            return "call", part.id, part.tool, part.text
        case Result():
            return "result", part.id, part.text
        case Attachment():
            return "attachment", part.name, part.media_type, part.size
        case Marker() | Opaque():
            return "opaque", part.type, part.text


def shown_text(part: Part) -> str:
    """Return the text of a part as the model reads it; strings inside JSON are unescaped into lines."""
    match part:
        case Call():
            return "\n".join(strings(part.input))
        case Result(text=text):
            return "\n".join(strings(_object(text))) if text.startswith("{") else text
        case Text(text) | Thinking(text) | Opaque(text=text) | Marker(text=text):
            return text
        case Attachment():
            return part.name


def strings(value: object) -> list[str]:
    """Return all strings inside a JSON value, in order."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                found.append(text)
            case Mapping() as mapping:
                waiting += reversed(list(mapping.values()))
            case list() | tuple() as items:
                waiting += reversed(items)
    return found


def _object(text: str) -> object:
    """Return the value of a JSON text, or the text itself if it is not JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return text
