"""Patches taken apart: what happens to each file that one names.

Two forms: the envelope of apply_patch, whose hunks are looked for by their lines, and unified diffs that a tool
printed after the fact, whose line numbers can be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.files.content import Content, Line

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
            if any(body[index:]):
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
    for hunk in hunks:
        for name in hunk.below:
            sure, perhaps = _places(content, (name,), at)
            if sure is None and not perhaps and content.length is not None:
                return None
            first = min([*perhaps, len(content.lines) if sure is None else sure])
            at = first + 1 if first == sure else first
        if not hunk.old:
            if content.length is None or hunk.below or content.text_at(content.length) in ("", None):
                _lose(content, min(at, max(len(content.lines) - 1, 0)))
            else:
                made += content.splice(content.length + 1, 0, hunk.new)
            continue
        old, new = hunk.old, hunk.new
        sure, perhaps = _places(content, old, at)
        if sure is None and not perhaps and old[-1] == "" and len(old) > 1:
            old, new = old[:-1], new[:-1] if new and new[-1] == "" else new
            sure, perhaps = _places(content, old, at)
        if sure is None and not perhaps and content.length is not None:
            return None
        if sure is not None and not hunk.last and not any(place < sure for place in perhaps):
            made += content.splice(sure + 1, len(old), new)
            at = sure + len(new)
            continue
        places = sorted({*perhaps, *_all_places(content, old, at)})
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


def _places(content: Content, old: Sequence[str], at: int) -> tuple[int | None, list[int]]:
    """The first place where all lines are known and fit, and the places where unknown ones may fit as well."""
    held = content.lines
    wanted = [line.strip() for line in old]
    room = len(held) - (len(old) - 1 if content.length is not None else 0)
    perhaps = [
        place
        for place in range(at, room)
        if (len(held) - place < len(old) or None in held[place : place + len(old)])
        and all(
            line is None or line.text.strip() == text
            for line, text in zip(held[place : place + len(old)], wanted, strict=False)
        )
    ]
    exact = next(_fitting(held, old, at, str), None)
    if exact is not None:
        return exact, perhaps
    # Lines that differ in blanks fit too, but only where none fit exactly.
    for same in (str.rstrip, str.strip):
        loose = next(_fitting(held, old, at, same), None)
        if loose is not None:
            certain = not perhaps and content.length is not None
            return (loose, []) if certain else (None, sorted({*perhaps, loose}))
    return None, perhaps


def _all_places(content: Content, old: Sequence[str], at: int) -> Iterator[int]:
    return _fitting(content.lines, old, at, str.strip)


def _fitting(held: Sequence[Line | None], old: Sequence[str], at: int, same: Callable[[str], str]) -> Iterator[int]:
    wanted = [same(line) for line in old]
    for place in range(at, len(held) - len(old) + 1):
        here = held[place : place + len(old)]
        if all(line is not None and same(line.text) == text for line, text in zip(here, wanted, strict=True)):
            yield place


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
        counts = [int(numbers[2] or 1), int(numbers[4] or 1)]
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
        start = int(numbers[1]) + (counts[0] == 0)
        found.append(Step(start, tuple(old), tuple(new)))
    return tuple(found)


def apply_steps(content: Content, diff: Sequence[Step]) -> list[Line] | None:
    """Make the hunks of a diff that a tool printed; None if what is known says otherwise."""
    made: list[Line] = []
    moved = 0
    for step in diff:
        start = step.start + moved
        if not content.agrees(start, step.old):
            return None
        if len(content.lines) < start - 1:
            content.lines += [None] * (start - 1 - len(content.lines))
        made += content.splice(start, len(step.old), step.new)
        moved += len(step.new) - len(step.old)
    return made
