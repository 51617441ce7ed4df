"""What is said of the middle of a text, between its head and its tail."""

from __future__ import annotations

from typing import Final

from prunus.outlines.log import digest
from prunus.outlines.names import names
from prunus.outlines.paths import paths, squeezed
from prunus.outlines.pieces import pieces

__all__ = ["middle"]

_PATHS: Final = 0.6


def middle(text: str, room: int, *, listing: bool) -> list[str]:
    """Complaints, paths and names of a text; of a listing the paths and the names."""
    if not listing:
        loud, told = digest(pieces(text), room)
        return [*loud, *told]
    told = squeezed(paths(text, alone=True), int(room * _PATHS)) if room > 0 else []
    room -= sum(len(line) + 1 for line in told)
    return [*told, *names(text, room, told)]
