"""What is kept from a client in the words and the calls of an answer, while it streams."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from prunus.json.splice import Path, splice
from prunus.notes import unechoed
from prunus.providers.hidden_calls import CallSite
from prunus.providers.intent_removed import RemovedIntent, remove_intent

_LONGEST: Final = 400
"""Characters that a tag has at most; a longer text is none."""
_SHOWN: Final = re.compile(rb"\[id ([0-9a-f]{6,32})((?:, (?:thinking|text|file) [0-9a-f]{6,32})*)\]")
_OTHER: Final = re.compile(rb" ([0-9a-f]{6,32})")


class ShownIds:
    """The ids that a request shows behind its results, collected when a model first writes something like an id."""

    __slots__ = ("_body", "_ids")

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._ids: frozenset[str] | None = None

    def __contains__(self, id: object) -> bool:
        if self._ids is None:
            found = _SHOWN.findall(self._body)
            self._ids = frozenset(id.decode() for first, more in found for id in (first, *_OTHER.findall(more)))
            self._body = b""
        return id in self._ids


class IdFilter:
    """Takes the ids that a model repeats out of a text that comes in pieces."""

    __slots__ = ("_held", "_ids")

    def __init__(self, ids: Container[str]) -> None:
        self._ids = ids
        self._held = ""
        """The end of the text so far, where it may become an id."""

    def feed(self, piece: str) -> str:
        """The text that can be shown now."""
        if not self._ids:
            return piece
        text = self._held + piece
        at = self._opening(text)
        self._held = text[at:]
        return unechoed(text[:at], self._ids)

    def flush(self) -> str:
        """The text that was held back, at the end of the whole text."""
        held, self._held = self._held, ""
        return unechoed(held, self._ids)

    def _opening(self, text: str) -> int:
        """Where something begins that may yet become an id."""
        at = text.rfind("[")
        if at >= 0 and "]" not in text[at:] and len(text) - at < _LONGEST and _may_be_tag(text[at:]):
            return at
        return len(text)


def _may_be_tag(text: str) -> bool:
    start = "[id "
    return start.startswith(text[: len(start)]) and re.fullmatch(r"[\[id0-9a-f, thinkgex]*", text) is not None


@dataclass(frozen=True, slots=True)
class IntentFilter:
    """Takes the intent out of the calls of some tools, and has it remembered.

    Arguments are held until they are complete and then shown in one piece, because only a whole key tells whether
    an argument is the intent. Each piece before is shown empty, so that the client sees the stream go on.
    """

    tools: Container[str]
    """The tools to which Prunus gave the argument."""
    keep: Callable[[CallSite, RemovedIntent], None]
    """Called for each intent with the arguments that are left."""

    def text(self, id: str, tool: str, arguments: str) -> str:
        """Arguments as the client may see them."""
        found = remove_intent(arguments) if tool in self.tools else None
        if found is None:
            return arguments
        rest, removed = found
        self.keep(CallSite((), id, tool, rest), removed)
        return rest

    def changes(self, sites: Iterable[CallSite]) -> dict[Path, bytes]:
        """By path, the arguments of whole calls that the client sees in another way."""
        found = {}
        for site in sites:
            if site.tool in self.tools:
                text = site.text
                shown = self.text(site.id, site.tool, text)
                if shown is not text:
                    found[site.path] = site.written(shown)
        return found

    def pieces(self, id: object, tool: object) -> Pieces | None:
        """Holds the arguments of a call that begins; None where the call is none of these tools."""
        if not isinstance(tool, str) or tool not in self.tools:
            return None
        return Pieces(self, str(id or ""), tool)


@dataclass(slots=True)
class Pieces:
    """The arguments of one call as they come."""

    intents: IntentFilter
    id: str
    tool: str
    texts: list[str] = field(default_factory=list)

    def shown(self) -> str:
        """All pieces so far as the client may see them; they come out once."""
        text = "".join(self.texts)
        self.texts.clear()
        return self.intents.text(self.id, self.tool, text) if text else ""


def changed_value(value: Any, changes: Mapping[Path, bytes]) -> Any:
    """A JSON value with other values at some paths."""
    return msgspec.json.decode(splice(msgspec.json.encode(value), changes)) if changes else value
