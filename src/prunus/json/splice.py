"""Replace values inside JSON bytes without changing any other byte.

Re-encoding a message would change its spacing, its escapes and the order of its keys, and that would break the
provider's prompt cache. So `splice` walks to each value by its path and copies all bytes around the value
unchanged. If an object has a key twice, the path means the last occurrence, as in other JSON readers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from prunus.errors import FormatError
from prunus.json.surrogates import decode

Path = tuple[str | int, ...]

_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_NEXT: Final = re.compile(rb"[ \t\r\n]*,?[ \t\r\n]*")
_PLAIN_KEY: Final = re.compile(rb'"([^"\\]{0,200})"[ \t\r\n]*:[ \t\r\n]*')
_STRETCH: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+){0,50000}+', re.DOTALL)
"""A stretch of a string. A string of many megabytes takes several matches: no other thread runs during a match."""
_HOPS: Final = 16
"""Quotes inside a string after which a pattern finds the end of the string sooner."""
_SCALAR: Final = re.compile(rb"[^\s,\]}]+")
_NESTING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+){0,50000}+(")?|[\[\]{}]', re.DOTALL)
_OPENING: Final = frozenset(b"[{")
_CLOSING: Final = frozenset(b"]}")


def splice(raw: bytes, changes: Mapping[Path, bytes | None]) -> bytes:
    """Return `raw` with the value at each path replaced by new JSON, or removed if the new JSON is None."""
    tree = _Tree()
    for path, value in changes.items():
        tree.plant(path, value)
    _, cuts = _walk(raw, skip_space(raw, 0), tree)
    pieces: list[bytes] = []
    at = 0
    for start, end, value in sorted(cuts):
        pieces += (raw[at:start], value)
        at = end
    pieces.append(raw[at:])
    return b"".join(pieces)


def values(raw: bytes) -> dict[str | int, bytes]:
    """Return the JSON bytes of each value of an object by key, or of each item of a list by index."""
    start = skip_space(raw, 0)
    found: dict[str | int, bytes] = {}
    at = skip_space(raw, start + 1)
    while raw[at] not in _CLOSING:
        key: str | int = len(found)
        if raw[start] == 0x7B:
            key, at = _key(raw, at)
        end = _end_of_value(raw, at)
        found[key] = raw[at:end]
        at = _NEXT.match(raw, end).end()  # type: ignore[union-attr]  # it matches everywhere
    return found


class _Tree:
    """The paths to change as one tree; each leaf holds the new value of its path."""

    __slots__ = ("branches", "leaf", "value")

    def __init__(self) -> None:
        self.branches: dict[str | int, _Tree] = {}
        self.leaf = False
        self.value: bytes | None = None

    def plant(self, path: Path, value: bytes | None) -> None:
        node = self
        for step in path:
            node = node.branches.setdefault(step, _Tree())
        node.leaf, node.value = True, value

    @property
    def removed(self) -> bool:
        return self.leaf and self.value is None


_Cut = tuple[int, int, bytes]


def _walk(raw: bytes, start: int, tree: _Tree) -> tuple[int, list[_Cut]]:
    """Return the end of the value at `start` and the cuts inside the value. The walk reads each byte once."""
    if tree.leaf:
        end = _end_of_value(raw, start)
        return end, [(start, end, tree.value or b"")]
    opening = raw[start : start + 1]
    if opening not in (b"{", b"["):
        raise FormatError(f"a value at byte {start} is neither object nor list")
    members: list[tuple[str | int, int, int]] = []
    cuts: dict[str | int, list[_Cut]] = {}
    at = skip_space(raw, start + 1)
    while raw[at] not in _CLOSING:
        begin = value = at
        key: str | int = len(members)
        if opening == b"{":
            key, value = _key(raw, at)
        branch = tree.branches.get(key)
        if branch is None or branch.removed:
            end = _end_of_value(raw, value)
            if branch is not None:
                cuts[key] = []
        else:
            end, cuts[key] = _walk(raw, value, branch)
        members.append((key, begin, end))
        at = _NEXT.match(raw, end).end()  # type: ignore[union-attr]  # it matches everywhere
    missing = tree.branches.keys() - cuts.keys()
    if missing:
        raise FormatError(f"no {sorted(map(str, missing))} inside {raw[start : start + 40]!r}")
    made = [cut for found in cuts.values() for cut in found]
    gone = {key for key, branch in tree.branches.items() if branch.removed}
    if gone:
        made += _removals(members, {i for i, (key, *_) in enumerate(members) if key in gone})
    return at + 1, made


def _removals(members: list[tuple[str | int, int, int]], removed: set[int]) -> list[_Cut]:
    """Return the cuts that remove members of an object or a list, each with one comma."""
    last = len(members) - 1
    kept = max((i for i in range(len(members)) if i not in removed), default=-1)
    cuts = [(members[i][1], members[i + 1][1], b"") for i in removed if i < kept]
    if kept < last:
        cuts.append((members[kept][2] if kept >= 0 else members[0][1], members[last][2], b""))
    return cuts


def _key(raw: bytes, at: int) -> tuple[str, int]:
    """Return a key of an object, and where its value begins."""
    plain = _PLAIN_KEY.match(raw, at)
    if plain is not None:
        return plain[1].decode(), plain.end()
    end = _end_of_value(raw, at)
    return str(decode(raw[at:end], str)), skip_space(raw, skip_space(raw, end) + 1)


def skip_space(raw: bytes, at: int) -> int:
    """Return where the white space at a place ends."""
    if raw[at : at + 1] > b" ":
        return at
    found = _SPACE.match(raw, at)
    return found.end() if found else at


def _end_of_value(raw: bytes, start: int) -> int:
    first = raw[start]
    if first in _OPENING:
        return _end_of_nest(raw, start)
    if first == 0x22:
        return _end_of_string(raw, start + 1)
    found = _SCALAR.match(raw, start)
    if found is None:
        raise FormatError(f"the value at byte {start} does not end")
    return found.end()


def _end_of_nest(raw: bytes, start: int) -> int:
    depth, at = 0, start
    while at < len(raw):
        for token in _NESTING.finditer(raw, at):
            mark = raw[token.start()]
            if mark in _OPENING:
                depth += 1
            elif mark in _CLOSING:
                depth -= 1
                if depth == 0:
                    return token.end()
            elif token.lastindex is None:
                at = _end_of_string(raw, token.end())
                break
        else:
            break
    raise FormatError(f"the value at byte {start} does not end")


def _end_of_string(raw: bytes, start: int) -> int:
    """Return the end of a string; `start` is any position inside it that no escape sequence crosses."""
    at = start
    for _ in range(_HOPS):
        quote = raw.find(b'"', at)
        if quote < 0:
            break
        before = quote
        while before > at and raw[before - 1] == 0x5C:
            before -= 1
        if (quote - before) % 2 == 0:
            return quote + 1
        at = quote + 1
    while (found := _STRETCH.match(raw, at)) is not None and found.end() > at:
        at = found.end()
    if raw[at : at + 1] != b'"':
        raise FormatError(f"the text at byte {start} does not end")
    return at + 1
