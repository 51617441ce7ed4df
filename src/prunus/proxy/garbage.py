"""Delays full garbage collections until the proxy is idle, or for ten minutes at most.

A full collection stops every request, for some tenths of a second with a thousand conversations. Python would start
one whenever the process holds a quarter more objects than at the last one. Requests and conversations that end
normally leave no garbage, so full collections can wait for a quiet moment. An application that was replaced is
garbage, with all its conversations, so after a reload a full collection comes sooner.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Final

_YOUNG: Final = 1_000
"""New objects before Python looks at the new ones."""
_NEVER: Final = 1 << 30
_QUIET: Final = 60.0
"""Seconds between two full collections, at least."""
_BUSY: Final = 600.0
"""Seconds without a full collection, at most, while requests come."""


def begin() -> None:
    """Leave out what lives as long as the process, and full collections; see `Garbage`."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 1, _NEVER)


class Garbage:
    """Begins a full collection if requests came since the last one, and none is being answered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()
        self._requests = 0
        self._expected = False

    def expect(self) -> None:
        """Expect much garbage: collect at the next quiet moment, or a minute after the last collection."""
        self._expected = True

    def look(self, requests: int, *, idle: bool) -> None:
        """Collect if it is time, after so many `requests`; `idle` says that none is being answered."""
        waited = self._clock() - self._last
        if self._expected:
            due = idle or waited >= _QUIET
        else:
            due = requests != self._requests and waited >= (_QUIET if idle else _BUSY)
        if due:
            self._expected = False
            gc.collect()
            self._last, self._requests = self._clock(), requests
