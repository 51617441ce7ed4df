"""Show the progress of a run over many files: the requests so far, and the remaining time."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TextIO

from prunus.lab.policy import Policy, Sender

_OFTEN: Final = 0.1
"""Seconds between two updates of a terminal."""
_SELDOM: Final = 5.0
"""Seconds between two lines of a log."""
_STEP: Final = 10
"""Percent of the work between two lines of a log."""
_ALMOST: Final = 0.99
"""The largest share that is shown before the last file is done."""
_SURE: Final = 0.02
"""The share of the work after which the remaining time can be estimated."""


class Gauge:
    """Counts the requests of one file, in cells that another process may read."""

    __slots__ = ("_at", "_cells", "_changed")

    def __init__(
        self, cells: list[int] | memoryview | None = None, file: int = 0, changed: Callable[[], None] | None = None
    ) -> None:
        self._cells: list[int] | memoryview = [0, 0] if cells is None else cells
        self._at = 2 * file
        self._changed = changed

    def expect(self, requests: int) -> None:
        """Add requests to the expected number."""
        self._cells[self._at] += requests

    def advance(self, requests: int = 1) -> None:
        """Add requests to the replayed number."""
        self._cells[self._at + 1] += requests
        if self._changed is not None:
            self._changed()


class Counted:
    """A policy that counts its replayed requests."""

    __slots__ = ("_gauge", "_policy", "_send")

    def __init__(self, policy: Policy, gauge: Gauge) -> None:
        self._policy = policy
        self._gauge = gauge
        self._send: Sender | None = None

    @property
    def name(self) -> str:
        return self._policy.name

    @property
    def declared(self) -> str:
        return self._send.declared if self._send is not None else ""

    def start(self) -> Counted:
        self._send = self._policy.start()
        return self

    def __call__(self, body: object, now: float | None) -> object:
        assert self._send is not None
        out = self._send(body, now)
        self._gauge.advance()
        return out


class ProgressBoard:
    """Shows progress: one updated line on a terminal, occasional lines elsewhere."""

    def __init__(
        self,
        sizes: Sequence[int],
        cells: list[int] | memoryview,
        *,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
        out: TextIO | None = None,
    ) -> None:
        """`sizes` are the sizes of the files; `cells` hold the counts of their gauges."""
        self._sizes = [max(1, size) for size in sizes]
        self._cells = cells
        self._quiet = quiet
        self._clock = clock
        self._out = sys.stderr if out is None else out
        self._done: set[int] = set()
        self._started = self._drawn = clock()
        self._said = 0
        self._shown = False

    def finish(self, file: int) -> None:
        """Mark a file as done."""
        self._done.add(file)
        self.draw()

    def draw(self) -> None:
        """Show the progress, unless it was shown a moment ago."""
        if self._quiet:
            return
        now = self._clock()
        over = len(self._done) == len(self._sizes)
        share = 1.0 if over else min(_ALMOST, self._share())
        if self._out.isatty():
            if now - self._drawn < _OFTEN:
                return
            width = shutil.get_terminal_size().columns - 1
            self._out.write("\r" + self._line(share, now, width).ljust(width))
            self._shown = True
        else:
            news = int(100 * share) - self._said
            if not news or (not over and (news < _STEP or now - self._drawn < _SELDOM)):
                return
            self._out.write(self._line(share, now) + "\n")
        self._out.flush()
        self._drawn, self._said = now, int(100 * share)

    def close(self) -> None:
        """Erase the progress line of a terminal."""
        if self._shown:
            self._out.write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            self._out.flush()

    def _share(self) -> float:
        """Return the finished share of the work, weighted by file size."""
        done = 0.0
        for file, size in enumerate(self._sizes):
            expected, replayed = self._cells[2 * file], self._cells[2 * file + 1]
            part = 1.0 if file in self._done else min(1.0, replayed / expected) if expected else 0.0
            done += size * part
        return done / sum(self._sizes)

    def _line(self, share: float, now: float, width: int | None = None) -> str:
        left = (now - self._started) * (1 - share) / share if _SURE <= share < 1 else None
        return line(share, sum(self._cells[1::2]), (len(self._done), len(self._sizes)), left, width)


def line(share: float, requests: int, files: tuple[int, int], left: float | None, width: int | None = None) -> str:
    """Return the progress as text, shortened to `width` characters if given."""
    words = [f"{int(100 * share)}%"]
    if requests:
        words.append(f"{requests:,} request{'s' * (requests != 1)} replayed")
    if left is not None:
        words.append(f"about {duration(left)} left")
    words.append(f"{files[0]} of {files[1]} file{'s' * (files[1] != 1)}")
    while width is not None and len(words) > 1 and len(", ".join(words)) > width:
        words.pop()
    return ", ".join(words)


def largest_first(paths: Sequence[Path]) -> list[int]:
    """Return the indexes of the files, largest file first, so that the longest work does not start last."""
    return sorted(range(len(paths)), key=lambda i: -size_of(paths[i]))


def size_of(path: Path) -> int:
    """Return the size of a file in bytes, or 0 if it is missing."""
    return path.stat().st_size if path.exists() else 0


def duration(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{round(minutes / 60)} h"
