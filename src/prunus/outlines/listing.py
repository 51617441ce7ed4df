"""The outline of a listing or of a search, and of the middle of any text that keeps its head and its tail."""

from __future__ import annotations

from typing import Final

from prunus.calls.results import headed
from prunus.outlines.log import digest
from prunus.outlines.texts import names, paths, pieces, squeezed

_DENSE: Final = 3
"""Times the room of other texts: nearly every word of a listing is the name of something."""
_MOST: Final = 0.6
_MIDDLE_PATHS: Final = 0.6


def listing(text: str, room: int) -> tuple[list[str], int, int]:
    """What to show of a listing, the lines of it that are shown, and the lines it has."""
    ended, rest = headed(text)
    lines = pieces(rest)
    room = min(room * _DENSE, int(len(text) * _MOST))
    head = lines[:1]
    room -= sum(len(line) + 1 for line in (*ended, *head))
    rest = "\n".join(lines[1:])
    told = squeezed(paths(rest, alone=True), room)
    room -= sum(len(line) + 1 for line in told)
    return [*ended, *head, *told, *names(rest, room, (*head, *told))], len(head), len(lines)


def middle(text: str, room: int, *, listing: bool) -> list[str]:
    """Complaints, paths and names of a text; of a listing the paths and the names."""
    if not listing:
        loud, told = digest(pieces(text), room)
        return [*loud, *told]
    told = squeezed(paths(text, alone=True), int(room * _MIDDLE_PATHS)) if room > 0 else []
    room -= sum(len(line) + 1 for line in told)
    return [*told, *names(text, room, told)]
