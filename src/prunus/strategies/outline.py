"""What to keep of a long output: its edges, its complaints, and the names that stand nowhere else in it."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final

from prunus.notes import outline_note

__all__ = ["gist", "outline"]

_LOUD: Final = re.compile(
    r"\b(?:error|exception|fail(?:ed|ure|s)?|fatal|panic|warning|assert\w*|undefined)\b", re.I
)
_NAME: Final = re.compile(r"[A-Za-z_][\w./-]{7,79}")
_LONGEST: Final = 200


@lru_cache(maxsize=256)
def outline(text: str, share: float) -> str:
    """About this share of a text: first and last lines, lines that complain, then rare names.

    Names of eight characters and more that few lines show are what later calls use again; the middle of a
    progress log is not. A very long line counts as several.
    """
    lines = [line[i : i + _LONGEST] for line in text.splitlines() for i in range(0, max(1, len(line)), _LONGEST)]
    room = int(len(text) * share)
    edge = min(len(lines), max(1, min(4, len(lines) // 8)))
    kept = dict.fromkeys([*range(edge), *range(len(lines) - edge, len(lines))])
    room -= sum(len(lines[i]) + 1 for i in kept)
    for i, line in enumerate(lines):
        if room <= 0:
            break
        if i not in kept and _LOUD.search(line):
            kept[i] = None
            room -= len(line) + 1
    shown = [lines[i] for i in sorted(kept)]
    names = _rare_names(lines, kept, room)
    left_out = len(lines) - len(shown)
    return "\n".join((*shown, *([" ".join(names)] if names else []), outline_note(left_out, len(lines))))


@lru_cache(maxsize=64)
def gist(text: str, share: float) -> str:
    """About this share of a text that is left out: lines that complain, then rare names; ends with a newline."""
    lines = [line[i : i + _LONGEST] for line in text.splitlines() for i in range(0, max(1, len(line)), _LONGEST)]
    room = int(len(text) * share)
    kept: dict[int, None] = {}
    for i, line in enumerate(lines):
        if room <= 0:
            break
        if _LOUD.search(line):
            kept[i] = None
            room -= len(line) + 1
    names = _rare_names(lines, kept, room)
    return "".join(f"{line}\n" for line in (*(lines[i] for i in kept), *([" ".join(names)] if names else [])))


def _rare_names(lines: list[str], kept: dict[int, None], room: int) -> list[str]:
    """Names in the lines that go, rarest first as far as there is room, in the order they came."""
    found = Counter(
        name for i, line in enumerate(lines) if i not in kept for name in dict.fromkeys(_NAME.findall(line))
    )
    chosen = []
    for name, times in found.items():
        if times > 2 or room <= 0:
            continue
        chosen.append(name)
        room -= len(name) + 1
    return chosen
