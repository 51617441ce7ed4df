"""The outline of a log: its edges, its complaints, then the files that the rest names."""

from __future__ import annotations

import re
from typing import Final

from prunus.calls.results import headed
from prunus.outlines.sketch import Sketch
from prunus.outlines.texts import files, pieces, squeezed

_LOUD: Final = re.compile(
    r"\b(?:error|exception|fail(?:ed|ure|s)?|fatal|panic|warning|assert\w*|undefined)\b", re.I
)
_WORDS: Final = ("error", "exception", "fail", "fatal", "panic", "warning", "assert", "undefined")
_HEAD: Final = 2
_TAIL: Final = 4
_COMPLAINTS: Final = 0.3
"""How much of the room complaints may take; a log of warnings would leave none for the rest."""
_PATHS: Final = 0.3


def log(text: str, room: int) -> Sketch:
    """What to show of a log.

    The first lines say what was done and the last ones how it went. An eighth of the lines stays at each end, and
    at most two and four.
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
    """Of lines that go: those that complain, each once, and the files that the others name."""
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
