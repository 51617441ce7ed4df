"""How the time of a reader grows with what it reads, on any machine and beside other programs."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["MOST", "TIMES", "Growth", "measure"]

TIMES: Final = 4
"""The larger input is this many times the smaller one."""
MOST: Final = 6.0
"""The larger input may take this many times the time: 4 is linear, 16 is quadratic."""
_ROUNDS: Final = 6
_WARM: Final = 0.5
"""Seconds; a run that takes longer is not repeated to warm up."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Seconds of CPU for an input and for one that is `TIMES` as large."""

    small: float
    large: float

    @property
    def ratio(self) -> float:
        return self.large / max(self.small, 1e-9)


def measure(
    read: Callable[[Any], object], make: Callable[[int], Any], size: int, floor: float, *, again: bool = True
) -> Growth | None:
    """The growth from `size` to `TIMES * size`; None where the larger input takes less than `floor` seconds.

    The least of several runs counts, so that what other programs cost falls away. A ratio that is too high is
    measured again before it is believed, and once more with larger inputs: what grows too fast does so at any size,
    and what a busy machine adds does not.
    """
    large_input = make(TIMES * size)
    large = _seconds(read, large_input)
    if large < floor:
        return None
    if large < _WARM:
        large = min(large, _seconds(read, large_input))
        if large < floor:
            return None
    small_input = make(size)
    small = min(_seconds(read, small_input) for _ in range(2))
    for _ in range(_ROUNDS):
        if large / max(small, 1e-9) <= MOST:
            break
        small = min(small, _seconds(read, small_input))
        large = min(large, _seconds(read, large_input))
    if again and large / max(small, 1e-9) > MOST and large < _WARM:
        return measure(read, make, TIMES * size, floor, again=False)
    return Growth(small, large)


def _seconds(read: Callable[[Any], object], given: Any) -> float:
    gc.disable()
    start = time.thread_time()
    try:
        read(given)
    finally:
        spent = time.thread_time() - start
        gc.enable()
    return spent
