"""Texts that stand in a file more than once, or nearly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["apart", "resembles"]


def apart(places: Sequence[tuple[int, int]], size: int, end: int) -> list[tuple[int, int]]:
    """Places of a text of several lines without those that overlap an earlier one, which tools do not count."""
    found: list[tuple[int, int]] = []
    for place in places:
        if not found or place >= (found[-1][0] + size - 1, end):
            found.append(place)
    return found


def resembles(lines: Iterable[str | None], old: str) -> bool:
    """Whether known lines look like a text that is not among them."""
    wanted = [line.strip() for line in old.strip().split("\n")]
    held = [None if line is None else line.strip() for line in lines]
    if len(wanted) > 1 and wanted[0] in held and wanted[-1] in held[held.index(wanted[0]) + 1 :]:
        return True
    plain = "\n".join("\0" if text is None else text for text in held)
    return " ".join(old.split()) in " ".join(plain.split())
