"""Messages as the lab compares them: parts with their tokens, each known by a number.

Two parts have the same number when the model would read the same. Cache markers, and a text that travels once as
a string and once as a block, make no difference; bookkeeping that the host keeps to itself is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from prunus.history import Attachment, Call, Marker, Opaque, Part, Result, Text, Thinking
from prunus.providers import Provider
from prunus.tokens import Counter
from prunus.view import weigh


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
    """Its calls and results in order, by kind and id."""


class Reader:
    """Reads the messages of one conversation; one that was read before costs nothing.

    Messages must not be changed in place while the reader lives.
    """

    __slots__ = ("_counter", "_format", "_forms", "_read")

    def __init__(self, format: Provider, counter: Counter | None = None) -> None:
        self._format = format
        self._counter = counter or Counter()
        self._forms: dict[tuple[object, ...], Form] = {}
        # The message itself is kept too, so that its address is not given to another one.
        self._read: dict[int, tuple[Mapping[str, Any], Sheet]] = {}

    def sheet(self, message: Mapping[str, Any]) -> Sheet:
        """One message of a request."""
        known = self._read.get(id(message))
        if known is None:
            known = self._read[id(message)] = (message, self._sheet(message))
        return known[1]

    def count(self, around: object) -> int:
        """The tokens of what stands around the messages."""
        return self._counter.count(msgspec.json.encode(around).decode()) if around else 0

    def _sheet(self, message: Mapping[str, Any]) -> Sheet:
        parts = self._format.parse(message, b"").parts
        forms = tuple(self.form(part) for part in parts if not isinstance(part, Marker))
        pairs = tuple((type(part).__name__, part.id) for part in parts if isinstance(part, Call | Result))
        return Sheet(forms, tuple(form.number for form in forms), sum(form.tokens for form in forms), pairs)

    def form(self, part: Part) -> Form:
        """One part, whether it was ever sent or not."""
        key = _key(part)
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = Form(len(self._forms), part, weigh(part, self._counter))
        return form


def _key(part: Part) -> tuple[object, ...]:
    """Equal for parts that the model cannot tell apart."""
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
    """The words of a part as the model reads them, with JSON taken apart so that its lines are lines."""
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
    """All strings inside a JSON value, in order."""
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
    """A result that is a JSON object, or the text itself."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return text
