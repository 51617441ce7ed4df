"""The changes that a patch makes: apply_patch, unified diffs, and blocks of SEARCH and REPLACE."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from prunus.changelog.changes import Change, Piece
from prunus.numbers import as_number

__all__ = ["blocks", "from_patch"]

_FILE: Final = re.compile(r"\*\*\* (Add File|Update File|Delete File): (.*\S|.)\s*$")
_MOVE: Final = "*** Move to: "
_HUNK: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_SEARCH: Final = re.compile(r"^(?:<{5,9}|-{5,9}) SEARCH>?[ \t]*\n(?:(?::\w+:[^\n]*\n)++-{5,9}\n)?", re.M)
_DIVIDER: Final = re.compile(r"^={5,9}[ \t]*\n", re.M)
_REPLACE: Final = re.compile(r"^(?:>{5,9}|\+{5,9}) REPLACE", re.M)


def from_patch(text: str) -> tuple[Change, ...]:
    """The changes of a patch by the paths that it writes; empty if the text is no patch."""
    if re.search(r"^\*\*\* (?:Add|Update|Delete) File: ", text, re.M):
        return tuple(_apply_patch(text.splitlines()))
    if re.search(r"^\+\+\+ ", text, re.M):
        return tuple(_unified(text.splitlines()))
    return ()


def blocks(text: str) -> tuple[Piece, ...]:
    """The replacements of a text with blocks of SEARCH and REPLACE, which does not name its file."""
    return tuple(_blocks(text))


def _blocks(text: str) -> Iterator[Piece]:
    at = 0
    while (
        (start := _SEARCH.search(text, at))
        and (divider := _DIVIDER.search(text, start.end()))
        and (end := _REPLACE.search(text, divider.end()))
    ):
        yield Piece(text[start.end() : divider.start()], text[divider.end() : end.start()])
        at = end.end()


class _Hunks:
    """Collects the lines of one file."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.old: list[str] = []
        self.new: list[str] = []

    def take(self, line: str) -> None:
        sign, rest = line[:1], line[1:]
        if sign in ("-", " ", ""):
            self.old.append(rest)
        if sign in ("+", " ", ""):
            self.new.append(rest)

    def close(self) -> tuple[Piece, ...]:
        if self.old != self.new:
            self.pieces.append(Piece("\n".join(self.old), "\n".join(self.new)))
        self.old, self.new = [], []
        return tuple(self.pieces)


def _apply_patch(lines: list[str]) -> Iterator[Change]:
    verb = path = target = ""
    hunks = _Hunks()
    for line in [*lines, "*** End Patch"]:
        if line.startswith(_MOVE):
            target = line[len(_MOVE) :].strip()
        elif line.startswith("*** "):
            found = _FILE.match(line)
            if found is None and not line.startswith("*** End Patch"):
                continue
            if verb:
                yield _patched(verb, path, target, hunks)
            verb, path = (found[1], found[2]) if found else ("", "")
            target, hunks = "", _Hunks()
        elif line.startswith("@@"):
            hunks.close()
        else:
            hunks.take(line)


def _patched(verb: str, path: str, target: str, hunks: _Hunks) -> Change:
    if verb == "Add File":
        return Change(path, "written", whole="\n".join(hunks.new) + "\n" * bool(hunks.new))
    if verb == "Delete File":
        return Change(path, "deleted")
    if target and target != path:
        return Change(target, "renamed", hunks.close(), source=path)
    return Change(path, "edited", hunks.close())


def _unified(lines: list[str]) -> Iterator[Change]:
    old = new = ""
    hunks = _Hunks()
    left = [0, 0]
    for line in [*lines, "--- "]:
        inside = left[0] > 0 or left[1] > 0
        if not inside and line.startswith("--- "):
            if new:
                yield _diffed(old, new, hunks)
            old, new, hunks = _name(line), "", _Hunks()
        elif not inside and line.startswith("+++ "):
            new = _name(line)
        elif found := _HUNK.match(line):
            hunks.close()
            left = [as_number(count or "1") for count in found.groups()]
        elif inside and line[:1] in ("-", "+", " ", ""):
            hunks.take(line)
            left[0] -= line[:1] != "+"
            left[1] -= line[:1] != "-"


def _diffed(old: str, new: str, hunks: _Hunks) -> Change:
    if old == "/dev/null":
        pieces = hunks.close()
        return Change(new, "written", whole="".join(f"{piece.new}\n" for piece in pieces))
    if new == "/dev/null":
        return Change(old, "deleted", hunks.close())
    if old != new:
        return Change(new, "renamed", hunks.close(), source=old)
    return Change(new, "edited", hunks.close())


def _name(line: str) -> str:
    name = line[4:].split("\t")[0].strip()
    return name[2:] if name[:2] in ("a/", "b/") else name
