"""How many requests a conversation has yet to send.

What a flush saves, it saves in every request that follows, and nobody knows how many will. The table was fitted on
154 recorded conversations of twelve agents (`bench/schedule.py`), cut where the agent compacted and at 200k tokens.
It grows slowly, so lengths are nearly geometric: the length so far hardly tells how much will follow, and the mean
of what counts is that of an exponential distribution cut off at the bound. Past the last row there were too few
conversations to tell, and one is taken to last as many requests again.

Learning the lengths from the user's own past conversations changed no cost by more than 0.001, and the true number
was no better. So the estimate depends on the conversation alone, and every replica makes the same one.
"""

from __future__ import annotations

from bisect import bisect_right
from math import exp
from typing import Final

__all__ = ["FITTED", "KNOWN", "requests_to_come"]

FITTED: Final = ((0, 51), (10, 57), (20, 64), (40, 70), (80, 72), (120, 92))
"""From which request on how many more follow on average."""
KNOWN: Final = 150
"""Requests beyond which fewer than ten of the recorded conversations went on."""


def requests_to_come(so_far: int, bound: int) -> int:
    """How many requests are expected to follow after so many, this one included, counting at most `bound`."""
    row = bisect_right(FITTED, so_far, key=lambda row: row[0]) - 1
    mean = so_far if so_far > KNOWN else FITTED[row][1]
    return round(mean * (1 - exp(-bound / mean)))
