"""How far a figure moves if the sample is drawn again."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

Sampled = TypeVar("Sampled")

_ROUNDS: Final = 1_000


def interval(items: Sequence[Sampled], statistic: Callable[[Sequence[Sampled]], float]) -> tuple[float, float]:
    """The range that a figure falls into for 95 of 100 resampled sets of the items; the same on every call."""
    pick = random.Random(0)
    found = sorted(statistic(pick.choices(items, k=len(items))) for _ in range(_ROUNDS))
    return found[_ROUNDS * 25 // 1000], found[_ROUNDS * 975 // 1000 - 1]
