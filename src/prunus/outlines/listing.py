"""The outline of a listing or of a search: the files it names, then the names beside them."""

from __future__ import annotations

from typing import Final

from prunus.calls.results import headed
from prunus.outlines.names import names
from prunus.outlines.paths import paths, squeezed
from prunus.outlines.pieces import pieces

__all__ = ["listing"]

_DENSE: Final = 3
"""Times the room of other texts: nearly every word of a listing is the name of something."""
_MOST: Final = 0.6


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
