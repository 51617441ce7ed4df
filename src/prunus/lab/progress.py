"""Show the progress of a run on standard error: what is done so far, and the remaining time.

A terminal gets one line that is updated. Elsewhere, as in a log, a new line comes now and then.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TextIO

from prunus.corpus.find import size_of
from prunus.text.numbers import counted

_OFTEN: Final = 0.1
"""Seconds between two updates of a terminal."""
_SELDOM: Final = 5.0
"""Seconds between two lines of a log."""
_STEP: Final = 10
"""Percent of the work between two lines of a log."""
_ALMOST: Final = 0.99
"""The largest share that is shown before the end, because the work is estimated by the sizes of files."""
_SURE: Final = 0.02
"""The share of the work after which the remaining time can be estimated."""
_CORPUS_OFTEN, _CORPUS_SELDOM, _CORPUS_SURE = 0.2, 30.0, 0.01
"""The same for a run over a corpus, which takes longer."""


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


class _Progress:
    """When a run began, and the line of a terminal that shows its progress; elsewhere each text is a new line."""

    def __init__(self, quiet: bool, clock: Callable[[], float], out: TextIO | None) -> None:
        self._quiet = quiet
        self._clock = clock
        self._out = sys.stderr if out is None else out
        self._shown = False
        self._started = self._drawn = clock()

    @property
    def _width(self) -> int | None:
        """The columns of the terminal, or None if this is no terminal."""
        return shutil.get_terminal_size().columns - 1 if self._out.isatty() else None

    def _show(self, text: str) -> None:
        width = self._width
        if width is None:
            self._out.write(text + "\n")
        else:
            self._out.write("\r" + text[:width].ljust(width))
            self._shown = True
        self._out.flush()

    def clear(self) -> None:
        """Erase the line of a terminal, so that something else can be printed."""
        if self._shown:
            self._out.write("\r" + " " * (self._width or 0) + "\r")
            self._out.flush()


class ProgressBoard(_Progress):
    """The progress of a run over files: the requests that were replayed, and the files that are done."""

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
        super().__init__(quiet, clock, out)
        self._sizes = [max(1, size) for size in sizes]
        self._cells = cells
        self._done: set[int] = set()
        self._said = 0

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
        news = int(100 * share) - self._said
        width = self._width
        if width is not None:
            due = now - self._drawn >= _OFTEN
        else:
            due = news > 0 and (over or (news >= _STEP and now - self._drawn >= _SELDOM))
        if due:
            self._show(self._line(share, now, width))
            self._drawn, self._said = now, int(100 * share)

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


class CorpusProgress(_Progress):
    """The progress of a run over a corpus: the recordings that are done, and how many there are each second."""

    def __init__(
        self,
        size: int,
        done: int = 0,
        recordings: int = 0,
        *,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
        out: TextIO | None = None,
    ) -> None:
        """`size` are the bytes of the work; `done` of them, and `recordings`, were done by an earlier run."""
        super().__init__(quiet, clock, out)
        self._size = max(1, size)
        self._before, self._done = done, done
        self._earlier, self._recordings = recordings, recordings
        self._failed = 0

    def advance(self, size: int, failed: int) -> None:
        """Count one more recording; `failed` is the number of all that failed."""
        self._done += size
        self._recordings += 1
        self._failed = failed
        now = self._clock()
        pause = _CORPUS_SELDOM if self._width is None else _CORPUS_OFTEN
        if not self._quiet and now - self._drawn >= pause:
            self._drawn = now
            self._show(self.line())

    def line(self) -> str:
        """Return the progress as text."""
        passed = self._clock() - self._started
        share = min(_ALMOST, self._done / self._size)
        new = (self._done - self._before) / self._size
        words = [f"{int(100 * share)}%", counted(self._recordings, "recording")]
        if passed > 0:
            words.append(f"{(self._recordings - self._earlier) / passed:.1f} per second")
        if new >= _CORPUS_SURE:
            words.append(f"about {duration(passed * (1 - share) / new)} left")
        if self._failed:
            words.append(f"{self._failed:,} failed")
        return ", ".join(words)


def line(share: float, requests: int, files: tuple[int, int], left: float | None, width: int | None = None) -> str:
    """Return the progress as text, shortened to `width` characters if given."""
    words = [f"{int(100 * share)}%"]
    if requests:
        words.append(f"{counted(requests, 'request')} replayed")
    if left is not None:
        words.append(f"about {duration(left)} left")
    words.append(f"{files[0]} of {files[1]} file{'s' * (files[1] != 1)}")
    while width is not None and len(words) > 1 and len(", ".join(words)) > width:
        words.pop()
    return ", ".join(words)


def largest_first(paths: Sequence[Path]) -> list[int]:
    """Return the indexes of the files, largest file first, so that the longest work does not start last."""
    return sorted(range(len(paths)), key=lambda i: -size_of(paths[i]))


def duration(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{round(minutes / 60)} h"
