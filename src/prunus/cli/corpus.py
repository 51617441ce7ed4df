"""The options and the table of commands that measure very many sessions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prunus.cli.options import Failure

if TYPE_CHECKING:
    from prunus.lab.corpus_report import CorpusReport
    from prunus.lab.run import Study
    from prunus.lab.summary import Summary
    from prunus.schedule.dollars import Money

_SAID = 20
"""The most failures that are printed."""


def corpus_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --out, --shard and --workers."""
    for option in (
        click.option(
            "--workers", metavar="N", type=click.IntRange(1), default=max(2, os.cpu_count() or 1),
            help="Processes that replay sessions; by default one for each core.",
        ),
        click.option("--shard", metavar="K/N", help="Replay only part K of N of the sessions; needs --out."),
        click.option(
            "--out", metavar="ROWS", type=click.Path(path_type=Path),
            help="Write a row for each session, policy and price to this .jsonl or .parquet file as results come, "
            "and continue a run that was stopped. `prunus report` reads the file.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def measure_corpus(
    paths: tuple[Path, ...], study: Study, out: Path, shard: str | None, workers: int, money: Money
) -> None:
    """Measure all sessions, write their rows, and print the table."""
    from prunus.cli.table import say
    from prunus.corpus.source import Shard, shard_named
    from prunus.corpus.tables import engine_errors
    from prunus.lab.corpus_report import check_suffix
    from prunus.lab.corpus_run import run_corpus

    said = 0

    def told(failure: str) -> None:
        nonlocal said
        said += 1
        if said <= _SAID:
            say(f"skipped: {failure}", err=True)
        elif said == _SAID + 1:
            say(f"skipped: more, which are rows with a failure in {click.format_filename(out)}", err=True)

    try:
        check_suffix(out)
        chosen = shard_named(shard) if shard is not None else Shard()
        if out.suffix == ".parquet":
            engine_errors()
        if out.exists():
            say(f"{click.format_filename(out)} is complete; delete it to measure again", err=True)
            return
        report = run_corpus(paths, study, out, shard=chosen, workers=workers, told=told)
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}") from error
    if not report.groups and report.failed:
        raise Failure("no recorded session could be read")
    show_report(report, money)


def show_report(report: CorpusReport, money: Money) -> None:
    """Print what the rows come to."""
    from prunus.cli.table import say
    from prunus.lab.run import OWN
    from prunus.text.numbers import dollars

    summaries = report.summaries()
    say(_counted(report))
    if not summaries:
        return
    show_summaries(summaries, tuple(dict.fromkeys(one.prices for one in summaries)))
    models = {model for _, _, model in report.groups}
    paid = report.dollars(OWN, {model: money.of(model) for model in models})
    if paid:
        [unpruned, *_] = [before for before, _ in paid.values()]
        pruned = [f"{dollars(after)} with {policy}" for policy, (_, after) in paid.items() if policy != "none"]
        said = ", ".join([f"{dollars(unpruned)} unpruned", *pruned])
        say(f"Dollars of input at own prices, over the models with a known price: {said}.")


def show_summaries(summaries: Sequence[Summary], prices: tuple[str, ...]) -> None:
    """Print a line for each policy with a column for each price, and each policy relative to its bound."""
    from prunus.cli.table import say, show
    from prunus.lab.summary import BOUNDS, regret, table

    headings, lines = table(summaries)
    show(headings, lines, right=range(1, len(headings)))
    say(_legend(prices))
    for policy, bound in BOUNDS:
        if ratios := regret(summaries, policy, bound):
            said = ", ".join(f"{ratio:.3f} at {row}" for row, ratio in ratios.items())
            say(f"{policy} over {bound}: {said}")


def _legend(prices: tuple[str, ...]) -> str:
    """Return the explanation of the table, which has a column for each of these prices."""
    from prunus.lab.run import OWN

    said = (
        "Costs are shares of not pruning; hard (lines, files) and soft (names in a line as it was, or in a path) "
        "are shares of what was used later."
    )
    if OWN in prices:
        said += (
            "\nown: each session at the cache prices of its own model; `prunus analyze` says the cost of auto at "
            "these prices."
        )
    if len(prices) > 1:
        said += (
            "\nworst, lost/1000, hard, lines, files, soft, undeclared and invalid are the worst of all prices; the "
            f"other columns are at {prices[0]}."
        )
    return said


def _counted(report: CorpusReport) -> str:
    """Return one line on the number of conversations, and on those left out."""
    from prunus.text.numbers import counted

    first = next(iter(report.summaries()), None)
    conversations, requests = (first.conversations, first.requests) if first is not None else (0, 0)
    said = f"{counted(conversations, 'conversation')}, {counted(requests, 'request')}"
    if report.short:
        said += f"; {counted(report.short, 'conversation')} with too few requests left out"
    if report.skipped:
        said += f"; {counted(report.skipped, 'damaged record')} skipped"
    if report.failed:
        said += f"; {counted(report.failed, 'recording')} failed"
    return said
