"""Changes of files, as values: what an editing tool, a patch or a shell command does to one file.

Patches come as the envelope of apply_patch, as unified diffs, or as SEARCH/REPLACE blocks. A patch is read as far
as it makes sense. `sound` says that a section is complete and well formed, so that a file can be followed through
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from prunus.calls.paths import join
from prunus.calls.touches import Touch, TouchKind
from prunus.text.numbers import as_number
from prunus.value import value

_BEGIN: Final = "*** Begin Patch"
_END: Final = "*** End Patch"
_VERB: Final = re.compile(r"\*\*\* (Add|Update|Delete) File: (.*\S|.)\s*$")
_MOVE: Final = re.compile(r"\*\*\* Move to: (.*\S|.)\s*$")
_ENVELOPE: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: ", re.M)
_UNIFIED: Final = re.compile(r"^\+\+\+ ", re.M)
_NUMBERS: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NOWHERE: Final = "/dev/null"
_BACKUPS: Final = (".orig", ".old", ".bak", "~")
_SEARCH: Final = re.compile(r"^(?:<{5,9}|-{5,9}) SEARCH>?[ \t]*\n(?:(?::\w+:[^\n]*\n)++-{5,9}\n)?", re.M)
_DIVIDER: Final = re.compile(r"^={5,9}[ \t]*\n", re.M)
_REPLACE: Final = re.compile(r"^(?:>{5,9}|\+{5,9}) REPLACE", re.M)
_TOUCHES: Final[dict[str, TouchKind]] = {"Add": "write", "Update": "edit", "Delete": "change"}


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that replace others."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    below: tuple[str, ...] = ()
    """Lines above the hunk that say where it applies, in apply_patch."""
    last: bool = False
    """The hunk ends at the end of the file."""
    start: int | None = None
    """The number of its first line in the old file, in a unified diff."""


@dataclass(frozen=True, slots=True)
class Patched:
    """The effect of a patch on one file."""

    verb: Literal["Add", "Update", "Delete"]
    path: str
    target: str = ""
    """Where the file is moved to."""
    text: str = ""
    """The text of an added file."""
    hunks: tuple[Hunk, ...] = ()
    sound: bool = True
    """Every line of this section is understood, so that the file can be followed through it."""


def patched_files(text: str) -> tuple[Patched, ...]:
    """The files of a patch in order; empty if the text is no patch."""
    if "*** " in text and _ENVELOPE.search(text):
        return tuple(_envelope(text))
    if "+++ " in text and _UNIFIED.search(text):
        return tuple(_unified(text.split("\n")))
    return ()


def search_blocks(text: str) -> tuple[tuple[str, str], ...]:
    """The old and the new text of each block of SEARCH and REPLACE; such a text does not name its file."""
    found: list[tuple[str, str]] = []
    at = 0
    while (
        (start := _SEARCH.search(text, at))
        and (divider := _DIVIDER.search(text, start.end()))
        and (end := _REPLACE.search(text, divider.end()))
    ):
        found.append((text[start.end() : divider.start()], text[divider.end() : end.start()]))
        at = end.end()
    return tuple(found)


def touches_of(files: Iterable[Patched], base: str = "") -> tuple[Touch, ...]:
    """One touch for each of the files that a patch changes, seen from a folder."""
    found: dict[str, Touch] = {}
    for part in files:
        path = join(base, part.path)
        found[path] = Touch(path, _TOUCHES[part.verb])
        if part.target and (target := join(base, part.target)) != path:
            # The old name is gone afterwards, and the new one holds lines that nobody has shown.
            found[path], found[target] = Touch(path, "change"), Touch(target, "change")
    return tuple(found.values())


def _envelope(text: str) -> Iterator[Patched]:
    start = text.find(_BEGIN)
    sound = start >= 0
    verb: re.Match[str] | None = None
    body: list[str] = []
    for line in [*text[max(start, 0) :].split("\n")[sound:], _END]:
        line = line.removesuffix("\r")
        found = _VERB.match(line)
        if found is not None or line.startswith(_END):
            if verb is not None:
                yield _section(verb, body, sound)
            verb, body = found, []
        elif verb is None:
            sound = sound and not line.strip()
        else:
            body.append(line)


def _section(verb: re.Match[str], body: list[str], sound: bool) -> Patched:
    match verb[1]:
        case "Delete":
            return Patched("Delete", verb[2], sound=sound)
        case "Add":
            while body and not body[-1].strip():
                body.pop()
            sound = sound and all(line[:1] == "+" for line in body)
            return Patched("Add", verb[2], text="".join(line[1:] + "\n" for line in body), sound=sound)
    target = ""
    if body and (moved := _MOVE.match(body[0])):
        target, body = moved[1], body[1:]
    hunks, clean = _hunks(body)
    return Patched("Update", verb[2], target, hunks=hunks, sound=sound and clean)


def _hunks(body: Sequence[str]) -> tuple[tuple[Hunk, ...], bool]:
    """The hunks of a section, and whether all of its lines are understood."""
    found: list[Hunk] = []
    below: list[str] = []
    old: list[str] = []
    new: list[str] = []
    last, clean = False, True

    def close() -> None:
        nonlocal below, old, new, last
        if old or new:
            found.append(Hunk(tuple(old), tuple(new), tuple(below), last))
            below, old, new, last = [], [], [], False

    filled = max((index for index, line in enumerate(body) if line), default=-1)
    for index, line in enumerate(body):
        mark = line[:1]
        if line.startswith("@@"):
            close()
            if line[2:].strip():
                below.append(line[3:] if line[2:3] == " " else line[2:])
        elif line.startswith("*** End of File"):
            last = True
        elif mark == "+":
            new.append(line[1:])
        elif mark == "-":
            old.append(line[1:])
        elif mark == " " or (not mark and index < filled):
            old.append(line[1:])
            new.append(line[1:])
        elif mark:
            clean = False
    close()
    return tuple(found), clean


def _unified(lines: Sequence[str]) -> Iterator[Patched]:
    """The files of a unified diff; the numbers above a hunk tell how many lines it has."""
    old = new = ""
    hunks: list[Hunk] = []
    sound = True
    at = 0
    while at < len(lines):
        line = lines[at].removesuffix("\r")
        at += 1
        if line.startswith("--- ") and at < len(lines) and lines[at].startswith("+++ "):
            if new:
                yield _diffed(old, new, hunks, sound)
            old, new, hunks, sound = _name(line), _name(lines[at]), [], True
            at += 1
        elif new and (numbers := _NUMBERS.match(line)):
            hunk, at, whole = _numbered(numbers, lines, at)
            hunks.append(hunk)
            sound = sound and whole
    if new:
        yield _diffed(old, new, hunks, sound)


def _numbered(numbers: re.Match[str], lines: Sequence[str], at: int) -> tuple[Hunk, int, bool]:
    """One hunk, the index of the line behind it, and whether the hunk has as many lines as its header says."""
    wanted = as_number(numbers[2] or "1"), as_number(numbers[4] or "1")
    old: list[str] = []
    new: list[str] = []
    while at < len(lines) and (len(old) < wanted[0] or len(new) < wanted[1]):
        mark, text = lines[at][:1], lines[at][1:]
        if mark not in ("-", "+", " ", "", "\\"):
            break
        if mark in ("-", " ", ""):
            old.append(text)
        if mark in ("+", " ", ""):
            new.append(text)
        at += 1
    start = as_number(numbers[1]) + (wanted[0] == 0)
    return Hunk(tuple(old), tuple(new), start=start), at, (len(old), len(new)) == wanted


def _diffed(old: str, new: str, hunks: Sequence[Hunk], sound: bool) -> Patched:
    if old == _NOWHERE:
        text = "".join(f"{line}\n" for hunk in hunks for line in hunk.new)
        return Patched("Add", new, text=text, hunks=tuple(hunks), sound=sound)
    if new == _NOWHERE:
        return Patched("Delete", old, hunks=tuple(hunks), sound=sound)
    if old.startswith(new) and old[len(new) :] in _BACKUPS:
        old = new
    return Patched("Update", old, new if new != old else "", hunks=tuple(hunks), sound=sound)


def _name(line: str) -> str:
    name = line[4:].split("\t")[0].strip()
    return name[2:] if name[:2] in ("a/", "b/") else name


@value
class Write:
    """The file holds this text from now on; None if the call does not show the text."""

    text: str | None
    verbatim: bool = True
    """False for a shell command that may have expanded or completed the text."""


@value
class Append:
    """The file ends with this text from now on; None if the call does not show the text."""

    text: str | None


@value
class Replace:
    """One text takes the place of another."""

    old: str
    new: str
    every: bool = False
    """At each place where the old text stands."""


@value
class Insert:
    """Lines are inserted behind a line; line 0 is the front, None a place that the call does not name."""

    line: int | None
    text: str


@value
class Lines:
    """Lines take the place of others, by their numbers."""

    start: int
    end: int
    text: str


@value
class Rename:
    """The file comes from another path, which is gone."""

    source: str


@value
class Delete:
    """The file is gone."""


@value
class Undo:
    """The editor takes back its last change of the file."""


@value
class Unclear:
    """The file changes in a way that the call does not spell out, such as by a sketch of the new code."""

    text: str = ""


FileChange = Write | Append | Replace | Insert | Lines | Patched | Rename | Delete | Undo | Unclear
