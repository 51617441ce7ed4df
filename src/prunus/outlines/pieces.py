"""The output of a call as lines that are not too long, without what the client wrote in front of it."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["LONGEST", "output", "pieces"]

LONGEST: Final = 200
"""Characters of the longest line; a longer one counts as several."""

# Codex writes four to seven lines before the output, mini-swe-agent the exit code.
_CODEX: Final = re.compile(
    r"(?:Command: [^\n]*\n)?(?:(?:Chunk ID|Wall time|Original token count|Total output lines|Process|Exit code)\b"
    r"[^\n]*\n){1,6}Output:\n"
)
_ENDED: Final = re.compile(r"^(?:Process (?:exited|running)|Exit code)\b[^\n]*", re.M)
_CODE_FIRST: Final = re.compile(r"\s*(\{\s*\"returncode\": ?-?\d+,|<returncode>-?\d+</returncode>)\s*")


def output(text: str) -> tuple[tuple[str, ...], str]:
    """How a command ended, as its client says before the output, and the output itself."""
    if found := _CODEX.match(text):
        ended = _ENDED.search(text, 0, found.end())
        return (ended[0],) if ended else (), text[found.end() :]
    if found := _CODE_FIRST.match(text):
        return (" ".join(found[1].split()),), text[found.end() :]
    return (), text


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
