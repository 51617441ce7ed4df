"""Saying how far a run over many files has come."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

__all__ = ["largest_first", "watched"]

Item = TypeVar("Item")


def watched(results: Iterable[Item], total: int, quiet: bool) -> Iterator[Item]:
    """A bar on a terminal, a line now and then elsewhere."""
    if quiet or not total:
        yield from results
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as progress:
            yield from progress.track(results, total=total, description="Replaying")
    else:
        for done, one in enumerate(results, 1):
            yield one
            if done % 20 == 0 or done == total:
                print(f"{done} of {total} files", file=sys.stderr, flush=True)


def largest_first(paths: Sequence[Path]) -> list[int]:
    """The order in which files are best measured: the longest work does not begin last."""
    return sorted(range(len(paths)), key=lambda i: -(paths[i].stat().st_size if paths[i].exists() else 0))
