"""JSON with comments and trailing commas; comments, order and spacing stay.

No library that keeps comments is at hand in Python, so this module looks up where a value stands and changes the
text at that place. The text is parsed as a whole before and after each change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from prunus.settings import jsonc

_TOKEN: Final = re.compile(r'"(?:\\.|[^"\\])*+"?|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|[{}\[\]:,]|[^\s{}\[\]:,"/]+|/')
_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str

    @property
    def comment(self) -> bool:
        return self.text.startswith(("//", "/*"))


@dataclass(slots=True)
class _Member:
    """A key with its value, as numbers of tokens."""

    key: int
    value: int
    last: int
    comma: int = -1
    """The comma behind the value; -1 if there is none."""


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
    at = page.first()
    for depth, name in enumerate(key):
        if not isinstance(table, Mapping):
            raise ValueError(f"{key[depth - 1]} is not an object")
        if name not in table:
            return _checked(page.with_member(at, key[depth:], value), key, value)
        table = table[name]
        member = page.member(at, name)
        at = member.value
    tokens = page.tokens
    whole = text[: tokens[member.value].start] + _json(value) + text[tokens[member.last].end :]
    return _checked(whole, key, value)


def without_value(text: str, key: tuple[str, ...]) -> str:
    """Return the text without one value, and without objects that are empty then."""
    page = _Page(text)
    at = page.first()
    found: list[tuple[int, _Member]] = []
    for name in key:
        member = page.member(at, name)
        found.append((at, member))
        at = member.value
    while len(found) > 1 and page.holds_only(*found[-1]):
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
    """A text with its tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [_Token(found.start(), found.end(), found[0]) for found in _TOKEN.finditer(text)]
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def first(self) -> int:
        """Return the token that opens the object of the whole text."""
        return self._plain(0)

    def member(self, at: int, name: str) -> _Member:
        """Return a member of the object that opens at a token."""
        return next(m for m in self._members(at)[0] if json.loads(self.tokens[m.key].text) == name)

    def holds_only(self, at: int, member: _Member) -> bool:
        """Return whether an object consists of one member, without a comment."""
        members, close = self._members(at)
        return len(members) == 1 and not any(token.comment for token in self.tokens[at:close])

    def with_member(self, at: int, key: tuple[str, ...], value: object) -> str:
        """Return the text with one more member in the object that opens at a token."""
        members, close = self._members(at)
        outside = self._indent(self.tokens[at].start)
        inside = self._indent(self.tokens[members[0].key].start) if members else outside + self._unit()
        if members and not self._starts_a_line(self.tokens[members[0].key].start):
            # An object on one line stays on one line.
            for name in reversed(key[1:]):
                value = {name: value}
            comma = "" if members[-1].comma >= 0 else ","
            end = members[-1].comma if members[-1].comma >= 0 else members[-1].last
            return self._put(self.tokens[end].end, f"{comma} {_json(key[0])}: {_json(value)}")
        lines = self._lines(key, value, inside)
        if not members and not any(token.comment for token in self.tokens[at:close]):
            start, end = self.tokens[at].end, self.tokens[close].start
            return f"{self.text[:start]}{self._newline}{lines}{self._newline}{outside}{self.text[end:]}"
        last = at
        if members:
            last = members[-1].comma if members[-1].comma >= 0 else members[-1].last
        behind = last
        while self.tokens[behind + 1].comment and (not members or self._same_line(last, behind + 1)):
            behind += 1
        trailing = bool(members) and members[-1].comma >= 0
        changed = self._put(self.tokens[behind].end, f"{self._newline}{lines}{',' if trailing else ''}")
        if not members or trailing:
            return changed
        end = self.tokens[members[-1].last].end
        return f"{changed[:end]},{changed[end:]}"

    def without_member(self, at: int, member: _Member) -> str:
        """Return the text without a member of the object that opens at a token."""
        text, tokens = self.text, self.tokens
        before = [other for other in self._members(at)[0] if other.last < member.key]
        start, end = tokens[member.key - 1].end, tokens[member.last].end
        head = text[:start]
        if member.comma >= 0:
            end = tokens[member.comma].end
        elif before:
            comma = tokens[before[-1].comma]
            head = text[: comma.start] + text[comma.end : start]
        elif member.key - 1 == at and not text[end : tokens[member.last + 1].start].strip():
            end = tokens[member.last + 1].start
        # What follows must not become part of a comment.
        cut = tokens[member.key - 1].text.startswith("//") and not text[end:].startswith(("\n", "\r\n"))
        return f"{head}{self._newline if cut else ''}{text[end:]}"

    def _members(self, at: int) -> tuple[list[_Member], int]:
        """Return the members of the object that opens at a token, and the token that closes it."""
        members: list[_Member] = []
        here = self._plain(at + 1)
        while self.tokens[here].text != "}":
            value = self._plain(self._plain(here + 1) + 1)
            last = self._end(value)
            member = _Member(here, value, last)
            here = self._plain(last + 1)
            if self.tokens[here].text == ",":
                member.comma = here
                here = self._plain(here + 1)
            members.append(member)
        return members, here

    def _plain(self, at: int) -> int:
        """Return the first token from here that is not a comment."""
        while self.tokens[at].comment:
            at += 1
        return at

    def _end(self, at: int) -> int:
        """Return the last token of the value that begins at a token."""
        depth = 0
        while True:
            depth += self.tokens[at].text in ("{", "[")
            depth -= self.tokens[at].text in ("}", "]")
            if depth == 0:
                return at
            at += 1

    def _put(self, place: int, added: str) -> str:
        return self.text[:place] + added + self.text[place:]

    def _indent(self, place: int) -> str:
        """Return the space at the start of the line of a place."""
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip())]

    def _unit(self) -> str:
        """Return what one more level is indented by in this text."""
        members, _ = self._members(self.first())
        if members and self._starts_a_line(self.tokens[members[0].key].start):
            return self._indent(self.tokens[members[0].key].start) or _INDENT
        return _INDENT

    def _starts_a_line(self, place: int) -> bool:
        return not self.text[self.text.rfind("\n", 0, place) + 1 : place].strip() and "\n" in self.text[:place]

    def _same_line(self, one: int, other: int) -> bool:
        return "\n" not in self.text[self.tokens[one].end : self.tokens[other].start]

    def _lines(self, key: tuple[str, ...], value: object, indent: str) -> str:
        """Return a member as lines, one for each level of its key."""
        head = f"{indent}{_json(key[0])}: "
        if len(key) == 1:
            return head + _json(value)
        inner = self._lines(key[1:], value, indent + self._unit())
        return f"{head}{{{self._newline}{inner}{self._newline}{indent}}}"
