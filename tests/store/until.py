"""Wait for a store that comes back."""

from __future__ import annotations

import time
from collections.abc import Callable

from prunus.store import StoreError


def until_it_works(work: Callable[[], None], seconds: float = 30.0) -> int:
    """Repeat a call until it no longer fails, and return how often it failed."""
    deadline = time.monotonic() + seconds
    for failed in range(100_000):
        try:
            work()
        except StoreError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return failed
    raise AssertionError
