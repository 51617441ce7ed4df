"""`prunus analyze`: what Prunus would have saved in the sessions on this machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from prunus.cli.options import Failure, money_option, own_settings
from prunus.cli.replay import corpus_options, measure_corpus, write_results
from prunus.cli.stats import BY, show_earnings, show_misses, show_periods
from prunus.cli.table import say, show
from prunus.text.numbers import counted
from prunus.text.printable import printable

if TYPE_CHECKING:
    from prunus.lab.analysis import File, SessionResult
    from prunus.lab.findings import Findings
    from prunus.schedule.dollars import Money
    from prunus.settings import Settings


@click.command("analyze")
@click.argument("paths", metavar="[PATH...]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--json", "json_", metavar="OUT", type=click.Path(path_type=Path), help="Write a JSON line for each session."
)
@click.option("--html", metavar="OUT", type=click.Path(path_type=Path), help="Write a page with plots.")
@click.option(
    "--level", type=click.Choice(("safe", "balanced", "lean")), default="balanced", show_default=True,
    help="The level of Prunus in the tables: safe, balanced or lean.",
)  # fmt: skip
@click.option(
    "--limit", metavar="N", type=click.IntRange(1), default=200, show_default=True,
    help="Replay only the newest N files.",
)  # fmt: skip
@click.option(
    "--input-price", "input_prices", metavar="[MODEL=]USD", multiple=True,
    help="The dollars of a million uncached input tokens, for every model or for the models that match a pattern "
    "such as 'claude*', instead of those of the price table; may be repeated.",
)  # fmt: skip
@click.option("--by", type=click.Choice(BY), help="Only a table with a line for each of these.")
@click.option("--cache", is_flag=True, help="Only tables that say why tokens are written to the prompt cache.")
@click.option("--since", metavar="DAY", help="Sessions from 2026-01-31, today, 7d, 4w or 3m on.")
@click.option("--csv", "in_csv", is_flag=True, help="The table of --by or --cache as CSV.")
@corpus_options
@money_option
def command(
    paths: tuple[Path, ...],
    json_: Path | None,
    html: Path | None,
    level: str,
    limit: int,
    input_prices: tuple[str, ...],
    by: str | None,
    cache: bool,
    since: str | None,
    in_csv: bool,
    out: Path | None,
    shard: str | None,
    workers: int,
    money: bool,
) -> None:
    """Show what Prunus would have saved in your own sessions.

    Finds the sessions that agents recorded on this machine, or reads the given ones: files, folders, patterns,
    tar and zip archives, and traces as JSON lines or Parquet. Replays each session without Prunus, with each
    level of it and with two rivals, and compares costs and losses; also lists the sessions with the smallest
    savings. Requests that a resumed or forked session repeats count once. The command changes no file and sends
    nothing over the network.

    With --out, the command replays all sessions, however many there are, and writes results to the file as they
    come. A run that was stopped continues where it was. Only the table of policies is printed. Requests that a
    resumed session repeats from another file then count in both files. The exit code is 0 even if some sessions
    could not be read, 2 if none could, and 130 after an interrupt.

    \b
    Examples:
      prunus analyze
      prunus analyze ~/.claude/projects --html saved.html
      prunus analyze --since 30d --by project
      prunus analyze --cache
      prunus analyze --limit 20 --input-price 3 --json sessions.jsonl
      prunus analyze traces.parquet --shard 3/16 --out rows/3.parquet
    """
    from prunus.lab.analysis import RIVALS, record
    from prunus.lab.findings import findings_of
    from prunus.lab.measuring import analyse
    from prunus.lab.page import page
    from prunus.lab.run import OWN, Study
    from prunus.report.spending import since_day
    from prunus.settings.presets import LEVELS

    if (by is not None and cache) or (in_csv and by is None and not cache):
        raise click.UsageError("give --by or --cache, and --csv with one of them")
    settings = own_settings()
    prices = replace(settings.money().with_prices(input_prices), shown=money)
    if out is not None:
        if not paths or json_ or html or by or cache or since:
            raise click.UsageError("--out needs PATH, and goes without --json, --html, --by, --cache and --since")
        if click.get_current_context().get_parameter_source("limit") is not ParameterSource.DEFAULT:
            raise click.UsageError("--out replays all sessions, so it goes without --limit")
        study = Study(("none", *LEVELS, *RIVALS), (OWN,), 1, limit=None, billed=True)
        measure_corpus(paths, study, out, shard, workers, prices)
        return
    if shard is not None:
        raise click.UsageError("--shard needs --out")
    day = since_day(since, date.today())
    files, older = _newest(paths, limit)
    if not files and not paths:
        _nothing_here("No recorded sessions were found on this machine.")
        return
    started = time.perf_counter()
    found = analyse(files, level, workers=workers)
    took = time.perf_counter() - started
    for one in found:
        if one.failure:
            say(f"unreadable: {one.failure}", err=True)
        if one.skipped:
            say(f"damaged: {one.path}: {counted(one.skipped, 'record')} skipped", err=True)
    if day:
        found = tuple(replace(one, rows=tuple(row for row in one.rows if _day(row) >= day)) for one in found)
    rows = tuple(row for one in found for row in one.rows)
    if not rows and day:
        raise Failure(f"no recorded session since {day}")
    if not rows:
        said = f"no recorded session in {counted(len(files), 'file')}"
        if paths:
            raise Failure(said)
        _nothing_here(f"There is {said}.")
        return
    findings = findings_of(rows, prices, level)
    if by is not None or cache:
        _print_table(rows, by, prices, settings, "csv" if in_csv else "")
    else:
        _print(_scope(found, rows, took, older), findings)
    write_results(
        json_, map(record, rows), html, lambda: page(found, findings.headline, findings.sections, findings.notes)
    )


def _newest(paths: Sequence[Path], limit: int) -> tuple[tuple[Path, ...], int]:
    """Return the files to replay, newest first, and the number of files left out."""
    from prunus.clients.sessions import find
    from prunus.corpus.find import changed_at, files

    found = sorted(files(paths), key=changed_at, reverse=True) if paths else [file.path for file in find()]
    return tuple(found[:limit]), max(0, len(found) - limit)


def _day(row: SessionResult) -> str:
    """Return the local date of a session; empty if the recording does not say."""
    return date.fromtimestamp(row.first).isoformat() if row.first is not None else ""


def _print_table(
    rows: Sequence[SessionResult], by: str | None, prices: Money, settings: Settings, form: str
) -> None:
    """Print the sessions by day, project or the like, by strategy, or why they write to the prompt cache."""
    from prunus.lab.analysis import as_days, earnings, writes_as_days

    if by == "strategy":
        show_earnings(earnings(rows), prices, form)
    elif by is not None:
        show_periods([as_days(row, _day(row)) for row in rows], by, prices, form)
    else:
        policies = (("Without Prunus", False), ("With Prunus", True))
        written = {name: [day for row in rows for day in writes_as_days(row, pruned)] for name, pruned in policies}
        show_misses(written, prices, settings, form)


def _nothing_here(said: str) -> None:
    """Print the folders that were searched, and suggest what to try instead."""
    from prunus.clients.sessions import looked_in

    click.echo(f"{said} Looked in:")
    for agent, folder in looked_in():
        click.echo(f"  {agent:15} {folder}{'' if folder.exists() else ' (does not exist)'}")
    click.echo("\nGive the path of a recorded session, or try `prunus demo`: it brings its own.")


def _scope(found: Sequence[File], rows: Sequence[SessionResult], took: float, older: int) -> str:
    """Return one line on the number of replayed sessions, and on sessions left out."""
    requests = sum(row.requests for row in rows)
    said = (
        f"{counted(len(rows), 'session')} in {counted(len(found), 'file')}, "
        f"{counted(requests, 'request')}, replayed in {took:.1f} s"
    )
    if unreadable := sum(bool(one.failure) for one in found):
        said += f"; {counted(unreadable, 'file')} unreadable"
    if damaged := [one.skipped for one in found if one.skipped]:
        said += f"; {counted(sum(damaged), 'damaged record')} skipped in {counted(len(damaged), 'file')}"
    copies = sum(one.copies for one in found)
    if copies or any(row.copied for row in rows):
        said += "; what resumed sessions repeat is counted once"
    if copies:
        said += f" ({counted(copies, 'session')} left out)"
    if older:
        said += f"; {counted(older, 'older file')} left out (--limit)"
    return said


def _print(scope: str, findings: Findings) -> None:
    say(f"{scope}\n\n{findings.headline}")
    for section in findings.sections:
        if not section.lines:
            continue
        click.echo(f"\n{section.title}")
        words = {"session", "agent", "model", "strategy", "policy"}
        numbers = [i for i, heading in enumerate(section.headings) if heading not in words]
        show(section.headings, section.lines, right=numbers, flexible=(0,))
        if section.note:
            say(section.note)
    click.echo()
    for note in findings.notes:
        say(printable(note))
