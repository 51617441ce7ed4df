"""The output of a call as lines that are not too long."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 200
"""Characters of the longest line; a longer one counts as several."""


def pieces(text: str) -> list[str]:
    """The lines of a text; a very long one is cut, first where a string in JSON has its line breaks."""
    lines = text.splitlines()
    if len(text) <= LONGEST or max(map(len, lines)) <= LONGEST:
        return lines
    found: list[str] = []
    for line in lines:
        if len(line) <= LONGEST:
            found.append(line)
            continue
        for part in line.split("\\n"):
            found += [part[i : i + LONGEST] for i in range(0, max(1, len(part)), LONGEST)]
    return found
