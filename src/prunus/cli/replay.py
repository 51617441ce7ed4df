"""`prunus replay` and `prunus report`: the cost and the loss of policies in recorded sessions.

`prunus analyze` shares the options, the run over a corpus and the table.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from prunus.cli.body import write_body
from prunus.cli.options import Failure, file_failure, money_option, own_settings
from prunus.cli.table import say, show
from prunus.text.numbers import counted, dollars

if TYPE_CHECKING:
    from prunus.lab.corpus_report import CorpusReport
    from prunus.lab.run import Study
    from prunus.lab.summary import Summary
    from prunus.schedule.dollars import Money

_POLICIES: Final = ("none", "safe", "balanced", "lean", "mask:10", "mask:10:30000", "clear:100000:3")
_SAID: Final = 20
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


@click.command("replay")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--policy", "policies", metavar="P", multiple=True,
    help="Policy to compare; may be repeated. By default: " + ", ".join(_POLICIES) + ".",
)  # fmt: skip
@click.option(
    "--prices", metavar="READ/WRITE", multiple=True,
    help="Price of a cached and of a newly cached token, or own: those of each session's model. May be repeated. "
    "By default own and six rows.",
)  # fmt: skip
@click.option(
    "--json", "json_", metavar="OUT", type=click.Path(path_type=Path), help="Write all rows as JSON lines."
)
@click.option("--html", metavar="OUT", type=click.Path(path_type=Path), help="Draw cost against retention.")
@click.option(
    "--min-requests", metavar="N", type=click.IntRange(1), default=1, show_default=True,
    help="Leave out shorter conversations.",
)  # fmt: skip
@corpus_options
def command(
    paths: tuple[Path, ...],
    policies: tuple[str, ...],
    prices: tuple[str, ...],
    json_: Path | None,
    html: Path | None,
    min_requests: int,
    out: Path | None,
    shard: str | None,
    workers: int,
) -> None:
    """Replay recorded sessions through policies: cost and loss.

    Takes recorded sessions: files, folders, patterns such as 'logs/**/*.jsonl', tar and zip archives, and traces
    as JSON lines or Parquet. Sends every request through each policy, and shows the cost relative to no pruning,
    at each price of the prompt cache. hard is the share of later-used content that the pruned requests still
    show: the lines that edits replace and the files that calls name. soft is the share of later-used names that
    still appear in an unchanged line or in a path; it counts names that only few parts show. lost/1000 is the
    number of requests in 1,000 whose answer edits lines that were gone, with a 95 % interval over conversations.
    effective is the cost including one more request for each part that the agent must then read again. With
    clairvoyant, the bound that knows the future, it also shows the cost of each policy relative to its bound.

    \b
    Examples:
      prunus replay ~/.claude/projects
      prunus replay session.jsonl --policy auto --policy mask:10 --prices 0.1/1.25
      prunus replay sessions/ --policy auto --policy clairvoyant --policy oracle
      prunus replay sessions/ --json rows.jsonl --html picture.html
      prunus replay traces.parquet --policy none --policy balanced --shard 3/16 --out rows/3.parquet
    """
    from prunus.corpus.find import files
    from prunus.lab.cost import price_row
    from prunus.lab.picture import picture
    from prunus.lab.policies import installed
    from prunus.lab.run import OWN, Study, run
    from prunus.lab.summary import summarise
    from prunus.schedule.prices import NAMED_ROWS

    able, reasons = installed(dict.fromkeys(policies or _POLICIES))
    rows_asked = tuple(dict.fromkeys(prices or (OWN, *NAMED_ROWS)))
    for row in rows_asked:
        if row != OWN:
            price_row(row)
    for reason in reasons:
        say(f"left out: {reason}", err=True)
    if out is None and shard is not None:
        raise click.UsageError("--shard needs --out")
    if out is not None and (json_ or html):
        raise click.UsageError("--out takes the place of --json and --html")
    if not able:
        raise Failure("none of these policies can be replayed here")
    study = Study(able, rows_asked, min_requests, limit=None, once=out is None)
    if out is not None:
        measure_corpus(paths, study, out, shard, workers, own_settings().money())
        return
    started = time.perf_counter()
    found = run(tuple(files(paths)), study, workers=workers)
    for one in found:
        if one.failure:
            say(f"skipped: {one.failure}", err=True)
    rows = tuple(row for one in found for row in one.rows)
    if not rows and all(one.failure for one in found):
        raise Failure("no recorded session could be read")
    summaries = summarise(rows)
    conversations, requests = _sizes(summaries)
    said = (
        f"{counted(conversations, 'conversation')}, {counted(requests, 'request')} "
        f"in {time.perf_counter() - started:.1f} s"
    )
    if short := sum(one.short for one in found):
        said += f"; {short:,} with fewer than {min_requests} requests left out"
    if damaged := sum(one.skipped for one in found):
        said += f"; {counted(damaged, 'damaged record')} skipped"
    if copies := sum(one.copies for one in found):
        said += f"; {copies:,} that other files repeat left out"
    say(said)
    if rows:
        _show_summaries(summaries)
    write_results(json_, rows, html, lambda: picture(summaries))


def write_results(json_: Path | None, rows: Iterable[object], html: Path | None, page: Callable[[], str]) -> None:
    """Write the requested files. This comes after the report, so that a wrong path does not lose it."""
    import msgspec

    if json_ is not None:
        write_body(b"".join(msgspec.json.encode(row) + b"\n" for row in rows), json_)
    if html is not None:
        write_body(page().encode(), html)


def _sizes(summaries: Sequence[Summary]) -> tuple[int, int]:
    """Return the number of conversations and of their requests; they are the same for each policy and price."""
    return next(((one.conversations, one.requests) for one in summaries), (0, 0))


def measure_corpus(
    paths: tuple[Path, ...], study: Study, out: Path, shard: str | None, workers: int, money: Money
) -> None:
    """Measure all sessions, write their rows, and print the table."""
    from prunus.corpus.source import Shard, shard_named
    from prunus.corpus.tables import engine_errors
    from prunus.lab.corpus_report import check_out
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
        check_out(out)
        chosen = shard_named(shard) if shard is not None else Shard()
        if out.suffix == ".parquet":
            engine_errors()
        if out.exists():
            say(f"{click.format_filename(out)} is complete; delete it to measure again", err=True)
            return
        report = run_corpus(paths, study, out, shard=chosen, workers=workers, told=told)
    except OSError as error:
        raise file_failure(click.format_filename(error.filename or out), error) from error
    if not report.groups and report.failed:
        raise Failure("no recorded session could be read")
    _show_report(report, money)


def _show_report(report: CorpusReport, money: Money) -> None:
    """Print what the rows come to."""
    from prunus.lab.run import OWN

    summaries = report.summaries()
    conversations, requests = _sizes(summaries)
    said = f"{counted(conversations, 'conversation')}, {counted(requests, 'request')}"
    if report.short:
        said += f"; {counted(report.short, 'conversation')} with too few requests left out"
    if report.skipped:
        said += f"; {counted(report.skipped, 'damaged record')} skipped"
    if report.failed:
        said += f"; {counted(report.failed, 'recording')} failed"
    say(said)
    if not summaries:
        return
    _show_summaries(summaries)
    models = {model for _, _, model in report.groups}
    paid = report.dollars(OWN, {model: money.of(model) for model in models})
    if paid:
        [unpruned, *_] = [before for before, _ in paid.values()]
        pruned = [f"{dollars(after)} with {policy}" for policy, (_, after) in paid.items() if policy != "none"]
        said = ", ".join([f"{dollars(unpruned)} unpruned", *pruned])
        say(f"Dollars of input at own prices, over the models with a known price: {said}.")


def _show_summaries(summaries: Sequence[Summary]) -> None:
    """Print a line for each policy with a column for each price, and each policy relative to its bound."""
    from prunus.lab.run import OWN
    from prunus.lab.summary import BOUNDS, regret, table

    headings, lines = table(summaries)
    show(headings, lines, right=range(1, len(headings)))
    legend = (
        "Costs are shares of not pruning; hard (lines, files) and soft (names in a line as it was, or in a path) "
        "are shares of what was used later."
    )
    prices = tuple(dict.fromkeys(one.prices for one in summaries))
    if OWN in prices:
        legend += (
            "\nown: each session at the cache prices of its own model. `prunus analyze` takes the provider's token "
            "counts where the agent recorded them; `prunus replay` estimates tokens."
        )
    if len(prices) > 1:
        legend += (
            "\nworst, lost/1000, hard, lines, files, soft, undeclared and invalid are the worst of all prices; the "
            f"other columns are at {prices[0]}."
        )
    say(legend)
    for policy, bound in BOUNDS:
        if ratios := regret(summaries, policy, bound):
            said = ", ".join(f"{ratio:.3f} at {row}" for row, ratio in ratios.items())
            say(f"{policy} over {bound}: {said}")


@click.command("report")
@click.argument("files", metavar="ROWS...", nargs=-1, required=True, type=click.Path(path_type=Path))
@money_option
def report_command(files: tuple[Path, ...], money: bool) -> None:
    """Combine the results of several replay or analyze runs.

    Takes the files that `prunus replay --out` and `prunus analyze --out` have written, for example one for each
    shard, and prints the table that one run over all sessions would print. Needs DuckDB, which
    pip install 'prunus[fleet]' installs.

    \b
    Examples:
      prunus report rows/*.parquet
      prunus report monday.jsonl tuesday.jsonl
    """
    from prunus.corpus.find import files as matching
    from prunus.lab.corpus_report import check_suffix, report_files

    found = tuple(matching(files))
    for path in found:
        check_suffix(path)
        if not path.exists():
            raise Failure(f"{click.format_filename(path)}: no such file")
    if not found:
        raise Failure("no file of rows was found")
    _show_report(report_files(found), replace(own_settings().money(), shown=money))
