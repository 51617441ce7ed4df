"""Run the same work on many files, on several cores."""

from __future__ import annotations

import mmap
import os
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from multiprocessing import active_children, connection, get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Final, TypeVar

from prunus.corpus.find import size_of
from prunus.lab.progress import Gauge, ProgressBoard, largest_first

R = TypeVar("R")
T = TypeVar("T")
Work = Callable[[Path, Gauge], R]

AHEAD: Final = 256
"""The most items that are under way in an executor whose size is unknown."""
_LOOK: Final = 0.1
"""The main process reads the workers' counts at this interval, in seconds."""
_CELL: Final = 8
"""The size of a count in bytes."""


def spread(
    work: Callable[[Path], R], paths: Sequence[Path], *, workers: int = 2, quiet: bool = False
) -> tuple[R, ...]:
    """Return the results of the work on each file, in their order, and show progress on standard error."""
    return spread_counted(partial(_uncounted, work), paths, workers=workers, quiet=quiet)


def spread_counted(work: Work[R], paths: Sequence[Path], *, workers: int = 2, quiet: bool = False) -> tuple[R, ...]:
    """Do the same for work that counts its requests, so that progress inside a file shows too.

    An interrupt ends the workers at once. It is raised again with a message on how much work is lost.
    """
    found: dict[int, R] = {}
    with tempfile.TemporaryDirectory(prefix="prunus-") as folder:
        counts = Path(folder) / "counts"
        counts.write_bytes(bytes(2 * _CELL * max(1, len(paths))))
        with _cells(counts) as cells:
            board = ProgressBoard([size_of(path) for path in paths], cells, quiet=quiet)

            def finish(file: int, one: R) -> None:
                found[file] = one
                board.finish(file)

            # Start with the largest file, so that no core waits for another at the end.
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
                board.clear()
    return tuple(found[i] for i in range(len(paths)))


def _share(
    work: Work[R],
    paths: Sequence[Path],
    order: Sequence[int],
    workers: int,
    counts: Path,
    look: Callable[[], None],
    finish: Callable[[int, R], None],
) -> None:
    """Distribute the files among workers."""
    with worker_pool(min(workers, len(paths))) as pool:
        # Workers inherit the blocked signals, so only this process handles an interrupt of the process group.
        with _without_interrupts():
            waiting = {pool.submit(_by_worker, work, paths[i], counts, i): i for i in order}
        while waiting:
            done, _ = wait(waiting, _LOOK, FIRST_COMPLETED)
            for future in done:
                finish(waiting.pop(future), future.result())
            look()


@contextmanager
def worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes on this machine; an error in the block, Ctrl-C or a kill of this process ends them."""
    before = set(active_children())
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin_worker)
    try:
        yield pool
    except BaseException:
        for child in set(active_children()) - before:
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    """Let only the main process handle Ctrl-C, and end this worker with it, also if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main = parent_process()
    if main is not None:
        Thread(target=_end_with, args=(main.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


def as_completed(
    work: Callable[[T], R], items: Iterable[T], executor: Executor, *, ahead: int = AHEAD
) -> Iterator[tuple[T, Future[R]]]:
    """Yield each item with its work, which has ended, in the order in which that happens.

    `executor` may be any: processes of this machine, or those of a cluster. Items are taken one after another, and
    at most `ahead` of them are under way, so that neither items nor results pile up in memory.
    """
    waiting: dict[Future[R], T] = {}
    for item in items:
        with _without_interrupts():
            waiting[executor.submit(work, item)] = item
        yield from _ended(waiting, room=ahead)
    while waiting:
        yield from _ended(waiting)


def _ended(waiting: dict[Future[R], T], room: int = 0) -> Iterator[tuple[T, Future[R]]]:
    """Yield the work that has ended; wait for some if there is no room for more."""
    for future in wait(waiting, None if len(waiting) >= room else 0, FIRST_COMPLETED).done:
        yield waiting.pop(future), future


def _by_worker(work: Work[R], path: Path, counts: Path, file: int) -> R:
    with _cells(counts) as cells:
        return work(path, Gauge(cells, file))


def _uncounted(work: Callable[[Path], R], path: Path, _: Gauge) -> R:
    return work(path)


@contextmanager
def _cells(counts: Path) -> Iterator[memoryview]:
    """Map the file of counts into memory, which all processes share."""
    with (
        counts.open("r+b") as file,
        mmap.mmap(file.fileno(), 0) as shared,
        memoryview(shared) as raw,
        raw.cast("q") as cells,
    ):
        yield cells


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C inside the block; does nothing on Windows."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
