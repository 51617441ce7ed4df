"""Removes repeated ids and intents from an answer while it streams to the client."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import msgspec

from prunus.json.splice import Path, splice
from prunus.notes import without_repeated_ids
from prunus.providers.hidden_calls import CallSite, HiddenRecord

INTENT: Final = "intent"
"""The argument in which a model says why it makes an edit."""
_SPACE: Final = re.compile(r"[ \t\r\n]*")
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
        """The end of the text so far, if it may become an id."""

    def feed(self, piece: str) -> str:
        """The text that can be shown now."""
        if not self._ids:
            return piece
        text = self._held + piece
        at = self._opening(text)
        self._held = text[at:]
        return without_repeated_ids(text[:at], self._ids)

    def flush(self) -> str:
        """The text that was held back, at the end of the whole text."""
        held, self._held = self._held, ""
        return without_repeated_ids(held, self._ids)

    def _opening(self, text: str) -> int:
        """The place at which an id may have begun; the end of the text if there is none."""
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

    Arguments are held until they are complete and then shown in one piece, because only a whole key shows whether
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
        """The new arguments of the calls whose intent is taken out, by their paths."""
        found = {}
        for site in sites:
            if site.tool in self.tools:
                text = site.text
                shown = self.text(site.id, site.tool, text)
                if shown is not text:
                    found[site.path] = site.written(shown)
        return found

    def pieces(self, id: object, tool: object) -> Pieces | None:
        """Holds the arguments of a call that begins; None if Prunus gave the tool no intent."""
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


class RemovedIntent(HiddenRecord, frozen=True):
    """An intent that was taken out."""

    member: str
    """Key and value as the model wrote them."""
    gap: str = ","
    """The characters between the intent and the next argument."""
    after: str | None = None
    """The argument before the intent; None if the intent came first."""


class _Argument(NamedTuple):
    name: str
    start: int
    end: int


def remove_intent(text: str) -> tuple[str, RemovedIntent] | None:
    """Arguments without their intent, and the intent; None if they have no intent, or are no JSON object."""
    members = _members(text)
    places = [at for at, member in enumerate(members or ()) if member.name == INTENT]
    if not members or len(places) != 1:
        return None
    at = places[0]
    one = members[at]
    member = text[one.start : one.end]
    if at:
        before = members[at - 1]
        gap = text[before.end : one.start]
        return text[: before.end] + text[one.end :], RemovedIntent(member, gap, before.name)
    if len(members) == 1:
        return text[: one.start] + text[one.end :], RemovedIntent(member)
    behind = members[1]
    return text[: one.start] + text[behind.start :], RemovedIntent(member, text[one.end : behind.start])


def restore_intent(text: str, removed: RemovedIntent) -> str:
    """Arguments with their intent again; unchanged if they have one, or are no JSON object."""
    members = _members(text)
    if members is None or any(member.name == INTENT for member in members):
        return text
    if not members:
        at = text.index("{") + 1
        return text[:at] + removed.member + text[at:]
    if removed.after is None:
        at = members[0].start
        return text[:at] + removed.member + removed.gap + text[at:]
    at = next((member.end for member in members if member.name == removed.after), members[-1].end)
    return text[:at] + removed.gap + removed.member + text[at:]


def _members(text: str) -> list[_Argument] | None:
    """The members of a JSON object and their places; None for anything else."""
    decode = json.JSONDecoder().raw_decode
    found: list[_Argument] = []
    try:
        at = _skip(text, 0)
        if text[at] != "{":
            return None
        at = _skip(text, at + 1)
        while text[at] != "}":
            if found:
                if text[at] != ",":
                    return None
                at = _skip(text, at + 1)
            if text[at] != '"':
                return None
            name, colon = decode(text, at)
            name.encode()  # half of a surrogate pair is no text that could be kept
            colon = _skip(text, colon)
            if text[colon] != ":":
                return None
            _, end = decode(text, _skip(text, colon + 1))
            found.append(_Argument(name, at, end))
            at = _skip(text, end)
    except (ValueError, IndexError, RecursionError):
        return None
    return found if _skip(text, at + 1) == len(text) else None


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space is not None else at
