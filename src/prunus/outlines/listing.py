"""The outline of a listing or of a search, and of the middle of any text that keeps its head and its tail."""

from __future__ import annotations

import re
from typing import Final

from prunus.calls.results import headed
from prunus.outlines.log import digest
from prunus.outlines.sketch import Sketch
from prunus.outlines.texts import paths, pieces, squeezed

_DENSE: Final = 3
"""Times the room of other texts: nearly every word of a listing is the name of something."""
_MOST: Final = 0.6
_MIDDLE_PATHS: Final = 0.6
_LONG: Final = re.compile(
    r"([dl-])[rwxsStT-]{9}[@+.]?\s+\d+\s+\S+\s+\S+\s+[\d.,]+[KMG]?\s+\w+\s+\d+\s+[\d:]+\s(\S[^\n]*+)"
)
"""A line of `ls -l`: the kind of the file, and its name with the place that a link leads to."""
_KINDS: Final = ("d", "l", "-")
_WORD: Final = re.compile(r"(?=[^A-Za-z_/\s]*+[A-Za-z_])[\w@+.()\[\]-]++/?")
"""A line of `ls`, which holds nothing but a name."""


def listing(text: str, room: int) -> Sketch:
    """What to show of a listing: its first line, and the paths in the others."""
    ended, rest = headed(text)
    lines = pieces(rest)
    room = min(room * _DENSE, int(len(text) * _MOST))
    head = lines[:1]
    room -= sum(len(line) + 1 for line in (*ended, *head))
    told = squeezed(_entries(lines[1:]), room)
    return Sketch((*ended, *head, *told), len(head), len(lines))


def middle(text: str, room: int, *, listing: bool) -> list[str]:
    """Complaints and paths of a text; of a listing the paths."""
    if not listing:
        loud, told = digest(pieces(text), room)
        return [*loud, *told]
    return squeezed(_entries(pieces(text)), int(room * _MIDDLE_PATHS)) if room > 0 else []


def _entries(lines: list[str]) -> list[str]:
    """The files and folders that a listing names, in order: of a line of `ls` the name, of any other the paths."""
    found: list[str] = []
    others: list[str] = []
    for line in lines:
        long = _LONG.fullmatch(line) if line[:1] in _KINDS else None
        if long is None and (" " in line or not _WORD.fullmatch(line)):
            others.append(line)
            continue
        found += paths("\n".join(others), alone=True) if others else ()
        others.clear()
        name = line if long is None else str(long[2]).partition(" -> ")[0] + "/" * (long[1] == "d")
        if name not in ("./", "../"):
            found.append(name)
    return list(dict.fromkeys((*found, *paths("\n".join(others), alone=True))))
