"""JSON with comments and trailing commas; comments, order and spacing stay.

No library that keeps comments is at hand in Python, so this module looks up where a value stands and changes the
text at that place. The text is parsed as a whole before and after each change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from prunus.settings import jsonc

_INDENT: Final = "  "


class _Member(NamedTuple):
    """A key with its value, by their places in the text."""

    name: str
    key: int
    value: int
    end: int
    """Where the value ends."""
    comma: int
    """The comma behind the value; -1 if there is none."""

    @property
    def behind(self) -> int:
        """Where the member ends, with its comma."""
        return self.end if self.comma < 0 else self.comma + 1


def parse(text: str) -> Mapping[str, Any]:
    """Return the values."""
    try:
        table = jsonc.parse(text) if text.strip() else {}
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(table, Mapping):
        raise ValueError("expected an object")
    return table


def with_value(text: str, key: tuple[str, ...], value: str | list[str]) -> str:
    """Return the text with one value changed or added, behind the other members of its object."""
    table: Any = parse(text)
    text = text if text.strip() else "{}\n"
    page = _Page(text)
    at = page.skip(0)
    for depth, name in enumerate(key):
        if not isinstance(table, Mapping):
            raise ValueError(f"{key[depth - 1]} is not an object")
        if name not in table:
            return _checked(page.with_member(at, key[depth:], value), key, value)
        table = table[name]
        member = page.member(at, name)
        at = member.value
    return _checked(text[: member.value] + _json(value) + text[member.end :], key, value)


def without_value(text: str, key: tuple[str, ...]) -> str:
    """Return the text without one value, and without objects that are empty then."""
    page = _Page(text)
    at = page.skip(0)
    found: list[tuple[int, _Member]] = []
    for name in key:
        member = page.member(at, name)
        found.append((at, member))
        at = member.value
    while len(found) > 1 and page.holds_one_member(found[-1][0]):
        found.pop()
    changed = page.without_member(*found[-1])
    parse(changed)
    return changed


def _checked(text: str, key: tuple[str, ...], value: object) -> str:
    """Return the text, if its value at the key is the wanted one."""
    table: Any = parse(text)
    for name in key:
        table = table[name]
    if table != value:
        raise ValueError(f"{'.'.join(key)} cannot be set")
    return text


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Page:
    """A text in which places of members are looked up; `at` is the place of the brace that opens an object."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain = jsonc.without_comments(text)
        self._comments = jsonc.comments(text)
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def skip(self, place: int) -> int:
        """Return the first place from here that is neither space nor comment."""
        while self.text[place].isspace() or place in self._comments:
            place = self._comments.get(place, place + 1)
        return place

    def member(self, at: int, name: str) -> _Member:
        """Return a member of an object."""
        return next(member for member in self._members(at)[0] if member.name == name)

    def holds_one_member(self, at: int) -> bool:
        """Return whether an object consists of one member, without a comment."""
        members, close = self._members(at)
        return len(members) == 1 and not self._has_comment(at, close)

    def with_member(self, at: int, key: tuple[str, ...], value: object) -> str:
        """Return the text with one more member in an object."""
        members, close = self._members(at)
        outside = self._indent(at)
        inside = self._indent(members[0].key) if members else outside + self._unit()
        if members and not self._starts_a_line(members[0].key):
            # An object on one line stays on one line.
            for name in reversed(key[1:]):
                value = {name: value}
            comma = "" if members[-1].comma >= 0 else ","
            return self._put(members[-1].behind, f"{comma} {_json(key[0])}: {_json(value)}")
        lines = self._lines(key, value, inside)
        if not members and not self._has_comment(at, close):
            return f"{self.text[: at + 1]}{self._newline}{lines}{self._newline}{outside}{self.text[close:]}"
        if not members:
            return self._put(self._behind_comments(at + 1), f"{self._newline}{lines}")
        last = members[-1]
        behind = self._behind_comments(last.behind, same_line=True)
        if last.comma >= 0:
            return self._put(behind, f"{self._newline}{lines},")
        return f"{self.text[: last.end]},{self.text[last.end : behind]}{self._newline}{lines}{self.text[behind:]}"

    def without_member(self, at: int, member: _Member) -> str:
        """Return the text without a member of an object."""
        text = self.text
        before = [other for other in self._members(at)[0] if other.key < member.key]
        start = len(text[: member.key].rstrip())
        head, end = text[:start], member.behind
        if member.comma < 0 and before:
            head = text[: before[-1].comma] + text[before[-1].comma + 1 : start]
        elif member.comma < 0 and start == at + 1:
            end = len(text) - len(text[end:].lstrip())
        # What follows must not become part of a comment.
        open_comment = any(stop == start and text.startswith("//", place) for place, stop in self._comments.items())
        cut = open_comment and not text.startswith(("\n", "\r\n"), end)
        return f"{head}{self._newline if cut else ''}{text[end:]}"

    def _members(self, at: int) -> tuple[list[_Member], int]:
        """Return the members of an object, and the place of the brace that closes it."""
        decode = json.JSONDecoder().raw_decode
        members: list[_Member] = []
        here = self.skip(at + 1)
        while self.text[here] != "}":
            name, end = decode(self._plain, here)
            value = self.skip(self.skip(end) + 1)
            _, end = decode(self._plain, value)
            behind = self.skip(end)
            comma = behind if self.text[behind] == "," else -1
            members.append(_Member(name, here, value, end, comma))
            here = behind if comma < 0 else self.skip(behind + 1)
        return members, here

    def _has_comment(self, start: int, end: int) -> bool:
        return any(start < place < end for place in self._comments)

    def _behind_comments(self, place: int, *, same_line: bool = False) -> int:
        """Return where the comments behind a place end, or those that begin in the same line."""
        behind = place
        for start, end in self._comments.items():
            between = self.text[place:start]
            if start >= behind and not self.text[behind:start].strip() and not (same_line and "\n" in between):
                behind = end
        return behind

    def _put(self, place: int, added: str) -> str:
        return self.text[:place] + added + self.text[place:]

    def _indent(self, place: int) -> str:
        """Return the space at the start of the line of a place."""
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip())]

    def _unit(self) -> str:
        """Return what one more level is indented by in this text."""
        members, _ = self._members(self.skip(0))
        if members and self._starts_a_line(members[0].key):
            return self._indent(members[0].key) or _INDENT
        return _INDENT

    def _starts_a_line(self, place: int) -> bool:
        return not self.text[self.text.rfind("\n", 0, place) + 1 : place].strip() and "\n" in self.text[:place]

    def _lines(self, key: tuple[str, ...], value: object, indent: str) -> str:
        """Return a member as lines, one for each level of its key."""
        head = f"{indent}{_json(key[0])}: "
        if len(key) == 1:
            return head + _json(value)
        inner = self._lines(key[1:], value, indent + self._unit())
        return f"{head}{{{self._newline}{inner}{self._newline}{indent}}}"
