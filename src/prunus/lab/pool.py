"""The same work on many files, on several cores."""

from __future__ import annotations

import mmap
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Final, TypeVar

from prunus.lab.progress import Gauge, ProgressBoard, largest_first, size_of

Found = TypeVar("Found")
Work = Callable[[Path, Gauge], Found]

_LOOK: Final = 0.1
"""Seconds between two looks at what the workers count."""
_CELL: Final = 8
"""Bytes of a count."""


def spread(
    work: Callable[[Path], Found], paths: Sequence[Path], *, workers: int = 2, quiet: bool = False
) -> tuple[Found, ...]:
    """What the work finds in each file, in their order; says on standard error how far it is."""
    return spread_counted(partial(_uncounted, work), paths, workers=workers, quiet=quiet)


def spread_counted(
    work: Work[Found], paths: Sequence[Path], *, workers: int = 2, quiet: bool = False
) -> tuple[Found, ...]:
    """The same for work that counts its requests, so that progress is seen inside a file too.

    An interrupt ends the workers at once; it is raised again and says how much of the work is lost.
    """
    found: dict[int, Found] = {}
    with tempfile.TemporaryDirectory(prefix="prunus-") as folder:
        counts = Path(folder) / "counts"
        counts.write_bytes(bytes(2 * _CELL * max(1, len(paths))))
        with _cells(counts) as cells:
            board = ProgressBoard([size_of(path) for path in paths], cells, quiet=quiet)

            def finish(file: int, one: Found) -> None:
                found[file] = one
                board.finish(file)

            # The largest first, so that no core waits for the other at the end.
            order = largest_first(paths)
            try:
                if min(workers, len(paths)) > 1:
                    _share(work, paths, order, workers, counts, board.draw, finish)
                else:
                    for i in order:
                        finish(i, work(paths[i], Gauge(cells, i, board.draw)))
            except KeyboardInterrupt:
                said = f"{len(found)} of {len(paths)} files were measured, and what they gave is lost"
                raise KeyboardInterrupt(said) from None
            finally:
                board.close()
    return tuple(found[i] for i in range(len(paths)))


def _share(
    work: Work[Found],
    paths: Sequence[Path],
    order: Sequence[int],
    workers: int,
    counts: Path,
    look: Callable[[], None],
    finish: Callable[[int, Found], None],
) -> None:
    """Share the files out among workers."""
    before = set(active_children())
    context = get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(paths)), context, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        # Workers inherit what is blocked: an interrupt of the whole group is answered by this process alone.
        with _without_interrupts():
            waiting = {pool.submit(_by_worker, work, paths[i], counts, i): i for i in order}
        while waiting:
            done, _ = wait(waiting, _LOOK, FIRST_COMPLETED)
            for future in done:
                finish(waiting.pop(future), future.result())
            look()
    except BaseException:
        for child in set(active_children()) - before:
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _by_worker(work: Work[Found], path: Path, counts: Path, file: int) -> Found:
    with _cells(counts) as cells:
        return work(path, Gauge(cells, file))


def _uncounted(work: Callable[[Path], Found], path: Path, _: Gauge) -> Found:
    return work(path)


@contextmanager
def _cells(counts: Path) -> Iterator[memoryview]:
    """The counts in a file, which all processes see."""
    with (
        counts.open("r+b") as file,
        mmap.mmap(file.fileno(), 0) as shared,
        memoryview(shared) as raw,
        raw.cast("q") as cells,
    ):
        yield cells


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ctrl-C has to wait; Windows cannot do that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
