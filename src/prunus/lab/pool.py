"""The same work on many files, on several cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from prunus.lab.progress import largest_first, watched

__all__ = ["spread"]

Found = TypeVar("Found")


def spread(
    work: Callable[[Path], Found], paths: Sequence[Path], *, workers: int = 2, quiet: bool = False
) -> tuple[Found, ...]:
    """What the work finds in each file, in their order; says on standard error how far it is."""
    # The largest first, so that no core waits for the other at the end.
    order = largest_first(paths)
    found: dict[int, Found] = {}
    count = min(workers, len(paths))
    with ExitStack() as stack:
        # Workers are started afresh: a fork would copy the thread that draws the bar.
        pool: Executor | None = None
        if count > 1:
            pool = stack.enter_context(ProcessPoolExecutor(count, mp_context=get_context("spawn")))
        several = map if pool is None else pool.map
        results = several(work, [paths[i] for i in order])
        found.update(zip(order, watched(results, len(order), quiet), strict=True))
    return tuple(found[i] for i in range(len(paths)))
