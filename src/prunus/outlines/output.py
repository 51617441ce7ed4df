"""Outlines of what commands and tools print.

Of a log: its edges, its complaints, then the files that the rest names. Of a listing or a search: the files and
folders. Of the middle of any text that keeps its head and its tail: complaints and paths.
"""

from __future__ import annotations

import re
from typing import Final

from prunus.calls.results import headed
from prunus.outlines.texts import Sketch, files, paths, pieces, squeezed

_LOUD: Final = re.compile(
    r"\b(?:error|exception|fail(?:ed|ure|s)?|fatal|panic|warning|assert\w*|undefined)\b", re.I
)
_WORDS: Final = ("error", "exception", "fail", "fatal", "panic", "warning", "assert", "undefined")
_HEAD: Final = 2
_TAIL: Final = 4
_COMPLAINTS: Final = 0.3
"""The share of the outline that error lines may take, so that a log of warnings leaves space for the rest."""
_PATHS: Final = 0.3
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


def log(text: str, room: int) -> Sketch:
    """Return the outline of a log.

    The first lines show what was done, and the last ones how it ended. An eighth of the lines stays at each end,
    but at most two at the start and four at the end.
    """
    ended, rest = headed(text)
    lines = pieces(rest)
    edge = max(1, len(lines) // 8)
    head, tail = lines[: min(edge, _HEAD)], lines[max(len(lines) - min(edge, _TAIL), min(edge, _HEAD)) :]
    middle = lines[len(head) : len(lines) - len(tail)]
    room -= sum(len(line) + 1 for line in (*ended, *head, *tail))
    loud, told = digest(middle, room)
    return Sketch((*ended, *head, *loud, *tail, *told), len(head) + len(loud) + len(tail), len(lines))


def digest(lines: list[str], room: int) -> tuple[list[str], list[str]]:
    """Return the error lines among these lines, each once, and the files that the others name."""
    if room <= 0:
        return [], []
    loud: dict[str, None] = {}
    quiet: list[str] = []
    left = int(room * _COMPLAINTS)
    for i, line in enumerate(lines):
        if left <= 0:
            quiet += lines[i:]
            break
        if line in loud:
            continue
        if _complains(line):
            loud[line] = None
            left -= len(line) + 1
        else:
            quiet.append(line)
    room -= sum(len(line) + 1 for line in loud)
    return list(loud), squeezed(files("\n".join(quiet)), int(room * _PATHS))


def _complains(line: str) -> bool:
    """Whether a line says that something went wrong; the words are looked for first, which is faster."""
    low = line.lower()
    return any(word in low for word in _WORDS) and _LOUD.search(line) is not None


def listing(text: str, room: int) -> Sketch:
    """Return the outline of a listing: its first line, and the paths in the others."""
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
