"""Show how far a run over a corpus is: recordings, their rate, and the remaining time."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import Final, TextIO

from prunus.lab.progress import duration

_OFTEN: Final = 0.2
"""Seconds between two updates of a terminal."""
_SELDOM: Final = 30.0
"""Seconds between two lines of a log."""
_SURE: Final = 0.01
"""The share of the work after which the remaining time can be estimated."""
_ALMOST: Final = 0.99
"""The largest share that is shown, because the work is estimated by the sizes of files."""


class CorpusProgress:
    """One updated line on a terminal, a line now and then elsewhere."""

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
        self._size = max(1, size)
        self._before, self._done = done, done
        self._earlier, self._recordings = recordings, recordings
        self._failed = 0
        self._quiet = quiet
        self._clock = clock
        self._out = sys.stderr if out is None else out
        self._started = self._drawn = clock()

    def advance(self, size: int, failed: int) -> None:
        """Count one more recording; `failed` is the number of all that failed."""
        self._done += size
        self._recordings += 1
        self._failed = failed
        now = self._clock()
        terminal = self._out.isatty()
        if self._quiet or now - self._drawn < (_OFTEN if terminal else _SELDOM):
            return
        self._drawn = now
        if terminal:
            width = shutil.get_terminal_size().columns - 1
            self._out.write("\r" + self.line()[:width].ljust(width))
        else:
            self._out.write(self.line() + "\n")
        self._out.flush()

    def line(self) -> str:
        """Return the progress as text."""
        passed = self._clock() - self._started
        share = min(_ALMOST, self._done / self._size)
        new = (self._done - self._before) / self._size
        words = [f"{int(100 * share)}%", f"{self._recordings:,} recording{'s' * (self._recordings != 1)}"]
        if passed > 0:
            words.append(f"{(self._recordings - self._earlier) / passed:.1f} per second")
        if new >= _SURE:
            words.append(f"about {duration(passed * (1 - share) / new)} left")
        if self._failed:
            words.append(f"{self._failed:,} failed")
        return ", ".join(words)

    def clear(self) -> None:
        """Erase the line of a terminal, so that something else can be printed."""
        if not self._quiet and self._out.isatty():
            self._out.write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            self._out.flush()

    close = clear
