"""The `intent` of a call: taken out of its arguments, and put back where it stood.

Arguments are cut as text, so that every other byte stays what the model wrote, and putting the piece back into the
same text gives the model's own bytes again. A client that spells its copy in another way gets the argument at the
same place among the others.
"""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

import msgspec

FIELD: Final = "intent"
"""The argument in which a model says why it makes an edit."""
_SPACE: Final = re.compile(r"[ \t\r\n]*")


class RemovedIntent(msgspec.Struct, frozen=True):
    """An intent that was taken out. The store holds it as JSON, so its fields keep their names."""

    member: str
    """Key and value as the model wrote them."""
    gap: str = ","
    """What stood between the intent and its neighbour."""
    after: str | None = None
    """The argument before the intent; None where the intent came first."""

    def dump(self) -> bytes:
        return msgspec.json.encode(self)

    @classmethod
    def load(cls, raw: bytes) -> RemovedIntent | None:
        try:
            return msgspec.json.decode(raw, type=cls)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return None


class _Member(NamedTuple):
    name: str
    start: int
    end: int


def remove_intent(text: str) -> tuple[str, RemovedIntent] | None:
    """Arguments without their intent, and the intent; None where there is none, or no JSON object."""
    members = _members(text)
    places = [at for at, member in enumerate(members or ()) if member.name == FIELD]
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
    """Arguments with their intent again; unchanged where they have one, or are no JSON object."""
    members = _members(text)
    if members is None or any(member.name == FIELD for member in members):
        return text
    if not members:
        at = text.index("{") + 1
        return text[:at] + removed.member + text[at:]
    if removed.after is None:
        at = members[0].start
        return text[:at] + removed.member + removed.gap + text[at:]
    at = next((member.end for member in members if member.name == removed.after), members[-1].end)
    return text[:at] + removed.gap + removed.member + text[at:]


def _members(text: str) -> list[_Member] | None:
    """The members of a JSON object and their places; None for anything else."""
    decode = json.JSONDecoder().raw_decode
    found: list[_Member] = []
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
            found.append(_Member(name, at, end))
            at = _skip(text, end)
    except (ValueError, IndexError, RecursionError):
        return None
    return found if _skip(text, at + 1) == len(text) else None


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space is not None else at
