"""How many requests a conversation has yet to send.

What a flush saves, it saves in every request that follows, and nobody knows how many will. Conversations that have
ended tell: of those that came as far as this one, how many more requests did they send? That is the mean residual
life, and it is taken of what counts, at most `bound` requests each, so that one endless session does not stand for
all. Conversations of a single request (titles, summaries) say nothing about those that went on, and so drop out.

Few past conversations say little. So `WEIGHT` conversations that lasted as the prior says are added to them. The
prior (`PRIOR`) was fitted on 154 recorded conversations of twelve agents (`bench/schedule.py`), cut where the agent
compacted and at 200k tokens, short ones counted too. It grows slowly, so lengths are nearly geometric: what was so
far hardly tells how much will follow, and the mean of what counts is that of an exponential distribution cut off at
the bound. Past the last row there were too few to tell, and a conversation is taken to last as many again.

Conversations that still go on are left out, because it is not known yet how long they last. That makes the past
look a little shorter than it is, by the long ones that are under way just now.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from math import exp
from typing import Final

__all__ = ["KNOWN", "PRIOR", "WEIGHT", "Prior", "Requests"]

Prior = tuple[tuple[int, int], ...]
"""From which request on how many more follow on average."""

PRIOR: Final[Prior] = ((0, 51), (10, 57), (20, 64), (40, 70), (80, 72), (120, 92))
KNOWN: Final = 150
"""Requests beyond which fewer than ten of the recorded conversations went on."""
WEIGHT: Final = 10
"""Past conversations that the prior counts for."""


@dataclass(frozen=True, slots=True)
class Requests:
    """What past conversations say about the length of one that goes on."""

    lengths: tuple[int, ...] = ()
    """The requests of conversations that have ended, the shortest first."""
    prior: Prior = PRIOR

    @classmethod
    def of(cls, lengths: Iterable[int], prior: Prior = PRIOR) -> Requests:
        """The same, given in any order."""
        return cls(tuple(sorted(lengths)), prior)

    def without(self, length: int) -> Requests:
        """The same without one conversation of this length, which has not ended after all."""
        at = bisect_left(self.lengths, length)
        if self.lengths[at : at + 1] != (length,):
            return self
        return Requests(self.lengths[:at] + self.lengths[at + 1 :], self.prior)

    def to_come(self, so_far: int, bound: int) -> int:
        """How many are expected to follow after so many, this one included, counting at most `bound`."""
        first = bisect_left(self.lengths, so_far)
        beyond = bisect_left(self.lengths, so_far + bound, first)
        ended = self.lengths[first:beyond]
        followed = sum(ended) - so_far * len(ended) + bound * (len(self.lengths) - beyond)
        came_as_far = len(self.lengths) - first
        return round((followed + WEIGHT * self._before(so_far, bound)) / (came_as_far + WEIGHT))

    def _before(self, so_far: int, bound: int) -> float:
        """What is expected before any conversation has ended."""
        row = bisect_right(self.prior, so_far, key=lambda row: row[0]) - 1
        mean = so_far if so_far > KNOWN else self.prior[row][1]
        return mean * (1 - exp(-bound / mean))
