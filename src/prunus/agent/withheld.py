"""The `intent` of a call: taken out of its arguments, and put back where it stood.

Arguments are cut as text, so that every other byte stays what the model wrote, and putting the piece back into the
same text gives the model's own bytes again. A client that writes its copy in another way gets the argument at the
same place among the others.
"""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

import msgspec

from prunus.intent import FIELD

__all__ = ["Withheld", "put_back", "withhold"]

_SPACE: Final = re.compile(r"[ \t\r\n]*")


class Withheld(msgspec.Struct, frozen=True):
    """What was taken out."""

    member: str
    """Key and value as the model wrote them."""
    gap: str = ","
    """What stood between it and its neighbour."""
    after: str | None = None
    """The argument before it; None for the first."""

    def dump(self) -> bytes:
        return msgspec.json.encode(self)

    @classmethod
    def load(cls, raw: bytes) -> Withheld | None:
        try:
            return msgspec.json.decode(raw, type=cls)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return None


class _Member(NamedTuple):
    name: str
    start: int
    end: int


def withhold(text: str) -> tuple[str, Withheld] | None:
    """Arguments without their intent, and what was taken; None where there is none, or no JSON object."""
    members = _members(text)
    places = [at for at, member in enumerate(members or ()) if member.name == FIELD]
    if not members or len(places) != 1:
        return None
    at = places[0]
    one = members[at]
    member = text[one.start : one.end]
    if at:
        before = members[at - 1]
        return text[: before.end] + text[one.end :], Withheld(member, text[before.end : one.start], before.name)
    if len(members) == 1:
        return text[: one.start] + text[one.end :], Withheld(member)
    behind = members[1]
    return text[: one.start] + text[behind.start :], Withheld(member, text[one.end : behind.start])


def put_back(text: str, withheld: Withheld) -> str:
    """Arguments with their intent again; unchanged where they have one, or are no JSON object."""
    members = _members(text)
    if members is None or any(member.name == FIELD for member in members):
        return text
    if not members:
        at = text.index("{") + 1
        return text[:at] + withheld.member + text[at:]
    if withheld.after is None:
        at = members[0].start
        return text[:at] + withheld.member + withheld.gap + text[at:]
    at = next((member.end for member in members if member.name == withheld.after), members[-1].end)
    return text[:at] + withheld.gap + withheld.member + text[at:]


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
