"""Measure a corpus of any size: recordings are read one after another, and results go to a file as they come.

The journal `rows.parquet.part` survives a kill. It has one JSON line for the options of the run, then one line for
each recording that is done. A line that was cut by a kill is dropped, and its recording is measured again; all
others are never measured twice. When all recordings are done, their rows are written to `rows.parquet`, and the
journal is removed.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from prunus.corpus.find import files, is_anything, size_of, sources
from prunus.corpus.source import Shard, Source, name_of, stable_hash
from prunus.errors import PrunusError
from prunus.lab.corpus_report import CorpusReport, CorpusRow, check_out, report_of, rows_of, write_rows
from prunus.lab.pool import as_completed, worker_pool
from prunus.lab.progress import CorpusProgress
from prunus.lab.run import Measured, Study, measure
from prunus.text.numbers import counted
from prunus.text.printable import whole_text

if sys.platform != "win32":
    import fcntl

Told = Callable[[str], None]
"""A function that gets the reason for which a recording could not be read."""


def run_corpus(
    paths: Iterable[Path],
    study: Study,
    out: Path,
    *,
    shard: Shard | None = None,
    executor: Executor | None = None,
    workers: int = 2,
    quiet: bool = False,
    told: Told | None = None,
) -> CorpusReport:
    """Measure all recordings of one shard, write their rows to `out`, and return the sums over them.

    `out` ends in `.jsonl` or `.parquet`. Work runs in `executor`, which may be that of a cluster, else in `workers`
    processes. `told` gets the reason of each failure. A run that was killed goes on where it was if it is started
    again; its results so far are in `out` with `.part` behind the name. Raises JournalError if that file belongs to
    other options, and NoRecordings if the paths lead to no file. If `out` is complete, nothing is measured,
    whatever the arguments, and the sums are those of its rows. If the executor breaks or cancels its work, its
    error is raised, and a run with a new executor goes on.
    """
    given, shard = tuple(paths), shard or Shard()
    check_out(out)
    if out.exists():
        return report_of(out)
    if not is_anything(given):
        raise NoRecordings(f"no file was found: {', '.join(map(str, given))}")
    question = {"paths": [name_of(path) for path in given], "shard": str(shard), **asdict(study)}
    with RunJournal(out, question) as journal:
        whole = sum(map(size_of, files(given))) // shard.count
        progress = CorpusProgress(whole, journal.size, journal.recordings, quiet=quiet)

        def wanted(name: str) -> bool:
            return shard.holds(name) and not journal.has(name)

        try:
            for source, measured in _measured(sources(given, wanted), study, executor, workers):
                journal.add(DoneRecording(source.name, source.size, tuple(rows_of(measured))))
                if measured.failure and told is not None:
                    progress.clear()
                    told(measured.failure)
                progress.advance(source.size, journal.failed)
        except KeyboardInterrupt:
            kept = counted(journal.recordings, "recording")
            raise KeyboardInterrupt(f"{journal.path} keeps {kept}; the same command goes on from there") from None
        finally:
            progress.clear()
        report = CorpusReport()
        write_rows(out, _summed(journal, report))
        journal.path.unlink()
    return report


class NoRecordings(PrunusError):
    """The paths lead to no file, so that there is nothing to measure on any machine."""


class JournalError(PrunusError):
    """The journal belongs to another question, or is damaged; the message says what to do."""


@dataclass(frozen=True, slots=True)
class DoneRecording:
    """One line of a journal."""

    name: str
    size: int
    rows: tuple[CorpusRow, ...]


class RunJournal:
    """Remembers which recordings are done, and appends to them."""

    def __init__(self, out: Path, question: Mapping[str, Any]) -> None:
        """Open the journal of an output file, which may have been begun before. Raises JournalError."""
        self.path = out.with_name(out.name + ".part")
        self.recordings = 0
        """The number of recordings that are done."""
        self.size = 0
        """The bytes of these recordings."""
        self.failed = 0
        """The number of recordings that could not be read, or not to their end."""
        self._question = msgspec.json.encode(question)
        self._known = array("Q")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        self._file = self.path.open("r+b")
        try:
            self._lock()
            end = self._read_again()
        except BaseException:
            self._file.close()
            raise
        self._file.seek(end)
        self._file.truncate()
        if not end:
            self._append(self._question)

    def __enter__(self) -> RunJournal:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()

    def has(self, name: str) -> bool:
        """Return whether a recording was done when the journal was opened."""
        number = stable_hash(name)
        place = bisect_left(self._known, number)
        return place < len(self._known) and self._known[place] == number

    def add(self, done: DoneRecording) -> None:
        """Append a recording."""
        self._append(msgspec.json.encode(done))
        self._count(done)

    def all(self) -> Iterator[DoneRecording]:
        """Yield all recordings that are done."""
        for line in self._whole_lines():
            yield msgspec.json.decode(line, type=DoneRecording)

    def _count(self, done: DoneRecording) -> None:
        self.recordings += 1
        self.size += done.size
        self.failed += any(row.failure for row in done.rows)

    def _append(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()

    def _lock(self) -> None:
        """Refuse to write where another process writes. The lock ends with the process, however it ends."""
        if sys.platform == "win32":
            return
        try:
            # Unlike flock, this lock is not inherited by workers, which may outlive a killed run.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise JournalError(f"another run writes {self.path}; let it end, or choose another --out") from error

    def _whole_lines(self) -> Iterator[bytes]:
        """Yield the lines of recordings. Closing another file object of the same path would end the lock."""
        self._file.seek(0)
        next(self._file, None)
        yield from (line for line in self._file if line.endswith(b"\n"))

    def _read_again(self) -> int:
        """Take over what an earlier run has done, and return the end of its last whole line."""
        first = self._file.readline()
        if not first.endswith(b"\n"):
            return 0
        if first.rstrip(b"\n") != self._question:
            raise JournalError(
                f"{self.path} was begun with other options; give the same ones to go on, or delete it to begin anew"
            )
        end = len(first)
        numbers = []
        try:
            for line in self._whole_lines():
                done = msgspec.json.decode(line, type=DoneRecording)
                numbers.append(stable_hash(done.name))
                end += len(line)
                self._count(done)
        except msgspec.MsgspecError as error:
            raise JournalError(f"{self.path} is damaged ({error}); delete it to begin anew") from error
        self._known = array("Q", sorted(numbers))
        return end


def _summed(journal: RunJournal, report: CorpusReport) -> Iterator[CorpusRow]:
    """Yield all rows, and add them to the report."""
    for done in journal.all():
        report.add(done.rows)
        yield from done.rows


def _measured(
    items: Iterator[Source], study: Study, executor: Executor | None, workers: int
) -> Iterator[tuple[Source, Measured]]:
    """Yield each recording with its measurements, as they are done."""
    work = partial(measure, study=study)
    if executor is None:
        yield from _on_this_machine(work, items, workers)
        return
    for source, future in as_completed(work, items, executor):
        try:
            yield source, future.result()
        except (BrokenExecutor, CancelledError):  # The executor failed, and not the recording.
            raise
        except Exception as error:
            yield (
                source,
                Measured(source.name, failure=f"{source.name}: {type(error).__name__}: {whole_text(str(error))}"),
            )


def _on_this_machine(
    work: Callable[[Source], Measured], items: Iterator[Source], workers: int
) -> Iterator[tuple[Source, Measured]]:
    """Do the work in processes of this machine.

    If one of them dies, all work under way is lost. Each of these recordings then gets a process of its own, so
    that only the one that ends its process again is left out.
    """
    over = False
    while not over:
        under_way: dict[str, Source] = {}
        try:
            with worker_pool(workers) as pool:
                for source, future in as_completed(work, _noted(items, under_way), pool, ahead=2 * workers):
                    measured = future.result()
                    under_way.pop(source.name, None)  # Two members of an archive may have the same name.
                    yield source, measured
            over = True
        except BrokenExecutor:
            for source in under_way.values():
                yield source, _alone(work, source)


def _noted(items: Iterator[Source], under_way: dict[str, Source]) -> Iterator[Source]:
    for source in items:
        under_way[source.name] = source
        yield source


def _alone(work: Callable[[Source], Measured], source: Source) -> Measured:
    try:
        with worker_pool(1) as pool:
            return pool.submit(work, source).result()
    except BrokenExecutor:
        return Measured(source.name, failure=f"{source.name}: its process died, perhaps for lack of memory")
