"""`sed -i` with line numbers and plain texts, done to what is known of a file.

Only scripts without patterns are followed: lines by number that go or come, and texts that stand for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from prunus.files.content import Content, Line
from prunus.tools.words import Simple, simples

__all__ = ["Stream", "apply_stream", "streams"]

_ADDRESS: Final = r"(?:(?P<first>\d+)(?:,(?P<last>\d+|\$))?)?\s*"
_DELETE: Final = re.compile(_ADDRESS + "d")
_TEXT: Final = re.compile(_ADDRESS + r"(?P<verb>[iac])(?P<slash>\\)?(?P<text>[^\n]*)")
_SUBSTITUTE: Final = re.compile(_ADDRESS + r"s(?P<mark>[/|#,@!])(?P<rest>.*)", re.S)
_SPECIAL: Final = re.compile(r"[.*\[\]^$\\]")
_EXTENDED: Final = re.compile(r"[+?(){}|]")


@dataclass(frozen=True, slots=True)
class Stream:
    """One step of a script: what happens to the lines from first to last."""

    verb: str
    """d, s, i, a or c."""
    first: int | None
    last: int | None
    """None with a first line is the end of the file."""
    old: str = ""
    new: str = ""
    every: bool = False


def streams(command: str) -> tuple[str, tuple[Stream, ...]] | None:
    """The one file that a command edits with `sed -i`, as spelled, and how; None if it does anything else."""
    script = simples(command)
    if script is None or len(script) != 1 or script[0].outputs or script[0].conditional:
        return None
    return _of(script[0])


def _of(simple: Simple) -> tuple[str, tuple[Stream, ...]] | None:
    words = [word for word in simple.words if word.text]
    if len(words) < 4 or words[0].text != "sed" or not all(word.certain for word in words):
        return None
    texts = [word.text for word in words[1:]]
    flags = [text for text in texts if text.startswith("-")]
    if "-i" not in flags or not set(flags) <= {"-i", "-e", "-E", "-r"}:
        return None
    rest = [text for text in texts if not text.startswith("-")]
    if len(rest) < 2 or (len(rest) > 2 and flags.count("-e") != len(rest) - 1):
        return None
    extended = "-E" in flags or "-r" in flags
    steps = [_step(text.strip(), extended) for text in rest[:-1]]
    found = tuple(step for step in steps if step is not None)
    return (rest[-1], found) if len(found) == len(steps) else None


def _step(script: str, extended: bool) -> Stream | None:
    if found := _DELETE.fullmatch(script):
        return None if found["first"] is None else Stream("d", *_lines(found))
    if found := _SUBSTITUTE.fullmatch(script):
        pieces = found["rest"].split(found["mark"])
        if len(pieces) != 3 or pieces[2] not in ("", "g") or not pieces[0]:
            return None
        old, new = pieces[0], pieces[1]
        if _SPECIAL.search(old) or (extended and _EXTENDED.search(old)) or re.search(r"[\\&\n]", new):
            return None
        return Stream("s", *_lines(found), old, new, pieces[2] == "g")
    if (found := _TEXT.fullmatch(script)) and found["first"] is not None and found["last"] is None:
        text = found["text"] if found["slash"] else found["text"].lstrip()
        return None if not text or "\\" in text else Stream(found["verb"], *_lines(found), new=text)
    return None


def _lines(found: re.Match[str]) -> tuple[int | None, int | None]:
    if found["first"] is None:
        return None, None
    first = int(found["first"])
    if found["last"] == "$":
        return first, None
    return first, max(first, int(found["last"] or first))


def apply_stream(content: Content, steps: Sequence[Stream]) -> list[Line] | None:
    """Do the steps, each over the whole file; None if that cannot be followed."""
    if len(steps) > 1 and any(step.verb != "s" for step in steps):
        return None
    made: list[Line] = []
    for step in steps:
        if step.first == 0:
            return None
        if step.verb == "s":
            made += _substitute(content, step)
            continue
        assert step.first is not None
        if step.first > len(content.lines):
            if content.length is None:
                continue
            return made
        last = len(content.lines) if step.last is None else min(step.last, len(content.lines))
        match step.verb:
            case "d":
                if step.last is None or step.last > len(content.lines):
                    # How much behind the known lines goes as well is not known.
                    content.length = None if content.length is None else step.first - 1
                content.splice(step.first, last - step.first + 1, ())
            case "i":
                made += content.splice(step.first, 0, (step.new,))
            case "a":
                made += content.splice(step.first + 1, 0, (step.new,))
            case _:
                made += content.splice(step.first, 1, (step.new,))
        content.ended = None
    return made


def _substitute(content: Content, step: Stream) -> list[Line]:
    made: list[Line] = []
    first = step.first or 1
    last = len(content.lines) if step.first is None or step.last is None else step.last
    for at in range(first - 1, min(last, len(content.lines))):
        line = content.lines[at]
        if line is not None and step.old in line.text:
            content.lines[at] = new = Line(line.text.replace(step.old, step.new, -1 if step.every else 1))
            made.append(new)
    return made
