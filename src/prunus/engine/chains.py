"""Chains: the earlier answers that each answer could point to, because all of them say the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from prunus.history import Ref

__all__ = ["Chains"]

_MOST: Final = 100
"""How many of the answers that say the same an answer may point to. What becomes of it rests on each of them."""


class Chains:
    """Where each answer could point; it is linked when it comes, before another one could point to it.

    Answers share one list as long as they can, so that a thousand of them that say the same cost a thousand links.
    """

    def __init__(self) -> None:
        self._places: dict[Ref, tuple[list[Ref], int]] = {}
        """A list of parts, the oldest first, and how many of them come before this one."""
        self._beyond: dict[Ref, Ref] = {}
        """To which answer those were linked that came when the list was full."""

    def link(self, target: Ref, shows: Ref) -> None:
        """An answer could point to a part, and so to whatever that could point to; the first such link counts."""
        if self.linked(target):
            return
        line, before = self._places.setdefault(shows, ([], 0))
        if before == _MOST:
            self._places[target] = line, before
            self._beyond[target] = shows
            return
        if before < len(line) and line[before] != shows:
            line = line[:before]
        if before == len(line):
            line.append(shows)
        self._places[target] = line, before + 1

    def linked(self, target: Ref) -> bool:
        """Whether a part could point anywhere."""
        return target in self._places and self._places[target][1] > 0

    def of(self, target: Ref) -> Iterator[Ref]:
        """The parts that an answer could point to, the oldest first."""
        line, before = self._places.get(target, ((), 0))
        return islice(line, before)

    def holds(self, target: Ref, other: Ref) -> bool:
        """Whether an answer could point to this part."""
        line, before = self._places.get(target, ((), 0))
        _, at = self._places.get(other, ((), before))
        return (at < before and line[at] == other) or (target in self._beyond and self._beyond[target] == other)
