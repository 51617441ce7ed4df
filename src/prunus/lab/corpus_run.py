"""Measure a corpus of any size: recordings are read one after another, and results go to a file as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import asdict
from functools import partial
from pathlib import Path

from prunus.corpus.find import files, sources
from prunus.corpus.shard import Shard
from prunus.corpus.source import Source
from prunus.lab.corpus_progress import CorpusProgress
from prunus.lab.corpus_report import CorpusReport
from prunus.lab.corpus_rows import CorpusRow, rows_of
from prunus.lab.journal import DoneRecording, RunJournal
from prunus.lab.pool import as_completed, worker_pool
from prunus.lab.progress import size_of
from prunus.lab.row_files import write_rows
from prunus.lab.run import Measured, Study, measure

Told = Callable[[str], None]
"""Is told why a recording could not be read."""


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
    other options.
    """
    given, shard = tuple(paths), shard or Shard()
    question = {"paths": [str(path) for path in given], "shard": str(shard), **asdict(study)}
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
            said = (
                f"{journal.recordings:,} recordings are kept in {journal.path}; the same command goes on from there"
            )
            raise KeyboardInterrupt(said) from None
        finally:
            progress.close()
        report = CorpusReport()
        write_rows(out, _summed(journal, report))
        journal.path.unlink()
    return report


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
        except Exception as error:
            yield source, Measured(source.name, failure=f"{source.name}: {type(error).__name__}: {error}")


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
                    del under_way[source.name]
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
