"""Patches taken apart: what happens to each file that one names.

Two forms: the envelope of apply_patch, whose hunks are looked for by their lines, and unified diffs that a tool
printed after the fact, whose line numbers can be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.files.content import Content, Line
from prunus.files.lines import MOST, Patience, fitting
from prunus.numbers import as_number

__all__ = ["Hunk", "Section", "Step", "apply_hunks", "apply_steps", "sections", "steps"]

_VERB: Final = re.compile(r"\*\*\* (Add File|Update File|Delete File): (.*\S|.)\s*$")
_MOVE: Final = re.compile(r"\*\*\* Move to: (.*\S|.)\s*$")
_NUMBERS: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that stand in place of others, below a line that names where."""

    below: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    last: bool = False
    """It ends at the end of the file."""


@dataclass(frozen=True, slots=True)
class Section:
    """What a patch does to one file."""

    verb: str
    """Add File, Update File or Delete File."""
    path: str
    target: str = ""
    """Where the file is moved to."""
    text: str = ""
    """What an added file holds."""
    hunks: tuple[Hunk, ...] = ()


def sections(patch: str) -> tuple[Section, ...]:
    """The files of an apply_patch envelope in order; empty if it is none that can be followed."""
    start = patch.find("*** Begin Patch")
    if start < 0:
        return ()
    body: list[str] = []
    for line in patch[start:].split("\n")[1:]:
        line = line.removesuffix("\r")
        if line.startswith("*** End Patch"):
            break
        body.append(line)
    found: list[Section] = []
    at = 0
    while at < len(body):
        verb = _VERB.match(body[at])
        if verb is None:
            if body[at].strip():
                return ()
            at += 1
            continue
        end = at + 1
        while end < len(body) and _VERB.match(body[end]) is None:
            end += 1
        section = _section(verb[1], verb[2], body[at + 1 : end])
        if section is None:
            return ()
        found.append(section)
        at = end
    return tuple(found)


def _section(verb: str, path: str, body: list[str]) -> Section | None:
    if verb == "Delete File":
        return Section(verb, path)
    if verb == "Add File":
        while body and not body[-1].strip():
            body.pop()
        if any(line[:1] != "+" for line in body):
            return None
        return Section(verb, path, text="".join(line[1:] + "\n" for line in body))
    target = ""
    if body and (moved := _MOVE.match(body[0])):
        target, body = moved[1], body[1:]
    hunks = _hunks(body)
    return None if hunks is None else Section(verb, path, target, hunks=hunks)


def _hunks(body: list[str]) -> tuple[Hunk, ...] | None:
    found: list[Hunk] = []
    below: list[str] = []
    old: list[str] = []
    new: list[str] = []
    last = False

    def close() -> None:
        nonlocal below, old, new, last
        if old or new:
            found.append(Hunk(tuple(below), tuple(old), tuple(new), last))
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
        elif mark == " ":
            old.append(line[1:])
            new.append(line[1:])
        elif not line:
            if index < filled:
                old.append("")
                new.append("")
        else:
            return None
    close()
    return tuple(found)


def apply_hunks(content: Content, hunks: Sequence[Hunk]) -> list[Line] | None:
    """Make the hunks of an envelope; None if they cannot have been made here.

    They are looked for from top to bottom, each below the one before, and the first place that fits is taken. Only
    a place before which no other fits, known or not, is certain.
    """
    made: list[Line] = []
    at = 0
    patience = Patience(len(content.lines) + sum(len(hunk.old) for hunk in hunks))
    for hunk in hunks:
        for name in hunk.below:
            sure, perhaps = _places(content, (name,), at, patience)
            if sure is None and not perhaps and content.length is not None:
                return None
            first = min([*perhaps, len(content.lines) if sure is None else sure])
            at = first + 1 if first == sure else first
        if patience.over:
            return None
        if not hunk.old:
            if content.length is None or hunk.below or content.text_at(content.length) in ("", None):
                _lose(content, min(at, max(len(content.lines) - 1, 0)))
            else:
                made += content.splice(content.length + 1, 0, hunk.new)
            continue
        old, new = hunk.old, hunk.new
        sure, perhaps = _places(content, old, at, patience)
        if sure is None and not perhaps and old[-1] == "" and len(old) > 1:
            old, new = old[:-1], new[:-1] if new and new[-1] == "" else new
            sure, perhaps = _places(content, old, at, patience)
        if patience.over or (sure is None and not perhaps and content.length is not None):
            return None
        if sure is not None and not hunk.last and not perhaps:
            made += content.splice(sure + 1, len(old), new)
            at = sure + len(new)
            continue
        places = list(_fitting(content, old, at, patience))
        content.disturb(places, len(old), len(new) - len(old))
        at = min(places, default=len(content.lines))
    # The tool takes an empty last line for the line break before it.
    if content.lines and content.text_at(len(content.lines)) == "":
        content.lines.pop()
    if content.length is not None:
        content.length = len(content.lines)
        content.ended = True if content.lines else None
    return made


def _lose(content: Content, at: int) -> None:
    """From this line on it is not known what stands where."""
    del content.lines[at:]
    content.length = content.ended = None


def _places(content: Content, old: Sequence[str], at: int, patience: Patience) -> tuple[int | None, list[int]]:
    """The first place where all lines are known and fit, and those before it where unknown ones may fit as well."""
    perhaps: list[int] = []
    loose: dict[bool, int] = {}
    for place in _fitting(content, old, at, patience):
        here = content.lines[place : place + len(old)]
        known = [line.text for line in here if line is not None]
        if len(known) < len(old):
            perhaps.append(place)
        elif known == list(old):
            return place, perhaps
        else:
            loose.setdefault(
                all(text.rstrip() == line.rstrip() for text, line in zip(known, old, strict=True)), place
            )
    if not loose:
        return None, perhaps
    # Lines that differ in blanks fit too, but only where none fit exactly.
    nearest = loose.get(True, loose.get(False, 0))
    certain = not perhaps and content.length is not None
    return (nearest, []) if certain else (None, sorted({*perhaps, nearest}))


def _fitting(content: Content, old: Sequence[str], at: int, patience: Patience) -> Iterator[int]:
    """Every place where lines may stand, blanks at both ends aside."""
    room = len(content.lines) - (len(old) - 1 if content.length is not None else 0)
    return fitting(content.lines, old, range(at, room), patience, str.strip)


@dataclass(frozen=True, slots=True)
class Step:
    """One hunk of a unified diff: from a line on, some lines went and others came."""

    start: int
    """Its first line in the old file."""
    old: tuple[str, ...]
    new: tuple[str, ...]


def steps(diff: str) -> tuple[Step, ...]:
    """The hunks of a unified diff of one file; empty if it is none."""
    found: list[Step] = []
    lines = diff.split("\n")
    at = 0
    while at < len(lines):
        numbers = _NUMBERS.match(lines[at])
        at += 1
        if numbers is None:
            continue
        counts = [as_number(numbers[2] or "1"), as_number(numbers[4] or "1")]
        old: list[str] = []
        new: list[str] = []
        while at < len(lines) and (len(old) < counts[0] or len(new) < counts[1]):
            mark, text = lines[at][:1], lines[at][1:]
            if mark in ("-", " ", ""):
                old.append(text)
            if mark in ("+", " ", ""):
                new.append(text)
            if mark not in ("-", "+", " ", "", "\\"):
                return ()
            at += 1
        if [len(old), len(new)] != counts:
            return ()
        start = as_number(numbers[1]) + (counts[0] == 0)
        found.append(Step(start, tuple(old), tuple(new)))
    return tuple(found)


def apply_steps(content: Content, diff: Sequence[Step]) -> list[Line] | None:
    """Make the hunks of a diff that a tool printed; None if what is known says otherwise."""
    made: list[Line] = []
    moved = 0
    for step in diff:
        start = step.start + moved
        if start > MOST or not content.agrees(start, step.old):
            return None
        if len(content.lines) < start - 1:
            content.lines += [None] * (start - 1 - len(content.lines))
        made += content.splice(start, len(step.old), step.new)
        moved += len(step.new) - len(step.old)
    return made
