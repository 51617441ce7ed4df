"""Following a file through a patch.

The hunks of apply_patch are looked for by their lines. Those of a unified diff that a tool printed after the fact
have line numbers that can be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prunus.files.content import Content
from prunus.files.matching import MOST, Line, Patience, fitting
from prunus.patches import Hunk


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


def apply_numbered(content: Content, hunks: Sequence[Hunk]) -> list[Line] | None:
    """Make the hunks of a diff that a tool printed; None if what is known says otherwise."""
    made: list[Line] = []
    moved = 0
    for hunk in hunks:
        start = (hunk.start or 0) + moved
        if start > MOST or not content.agrees(start, hunk.old):
            return None
        if len(content.lines) < start - 1:
            content.lines += [None] * (start - 1 - len(content.lines))
        made += content.splice(start, len(hunk.old), hunk.new)
        moved += len(hunk.new) - len(hunk.old)
    return made
