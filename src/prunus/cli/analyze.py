"""`prunus analyze`: what Prunus would have saved in the sessions on this machine."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.options import Failure

if TYPE_CHECKING:
    from prunus.lab.analysis import File
    from prunus.lab.findings import Findings


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
    help="Show costs in dollars: the price of a million uncached input tokens, for every model or for the models "
    "that match a pattern such as 'claude*'; may be repeated.",
)  # fmt: skip
def command(
    paths: tuple[Path, ...],
    json_: Path | None,
    html: Path | None,
    level: str,
    limit: int,
    input_prices: tuple[str, ...],
) -> None:
    """Say what Prunus would have saved in your own sessions.

    Finds the sessions that agents recorded on this machine, or reads the given files and folders. Replays each
    session without Prunus, with each level of it and with two rivals, and compares costs and losses; also lists the
    sessions with the smallest savings. Requests that a resumed or forked session repeats count once. The command
    changes no file and sends nothing over the network.

    \b
    Examples:
      prunus analyze
      prunus analyze ~/.claude/projects --html saved.html
      prunus analyze --limit 20 --input-price 3 --json sessions.jsonl
      prunus analyze --input-price 'claude*=3' --input-price 'gpt-5*=1.25'
    """
    from prunus.cli.table import say
    from prunus.errors import SettingsError
    from prunus.lab.analysis import analyse, total
    from prunus.lab.cost import Money
    from prunus.lab.findings import counted, findings_of, scope

    try:
        money = Money.read(input_prices)
    except SettingsError as error:
        raise Failure(str(error)) from error
    files, older = _newest(paths, limit)
    if not files and not paths:
        _nothing_here("No recorded sessions were found on this machine.")
        return
    started = time.perf_counter()
    found = analyse(files, level, workers=max(2, os.cpu_count() or 1))
    took = time.perf_counter() - started
    for one in found:
        if one.failure:
            say(f"unreadable: {one.failure}", err=True)
        if one.skipped:
            say(f"damaged: {one.path}: {counted(one.skipped, 'record')} skipped", err=True)
    rows = tuple(row for one in found for row in one.rows)
    if not rows:
        said = f"no recorded session in {counted(len(files), 'file')}"
        if paths:
            raise Failure(said)
        _nothing_here(f"There is {said}.")
        return
    findings = findings_of(rows, money, level)
    _print(scope(found, total(rows), took, older), findings)
    _write(found, json_, html, findings)


def _newest(paths: Sequence[Path], limit: int) -> tuple[tuple[Path, ...], int]:
    """Return the files to replay, newest first, and the number of files left out."""
    from prunus.clients.finder import find
    from prunus.lab.run import recordings

    files = tuple(sorted(recordings(paths), key=_age)) if paths else tuple(file.path for file in find())
    return files[:limit], max(0, len(files) - limit)


def _age(path: Path) -> float:
    return -path.stat().st_mtime if path.exists() else 0.0


def _nothing_here(said: str) -> None:
    """Print the folders that were searched, and suggest what to try instead."""
    from prunus.clients.finder import looked_in

    click.echo(f"{said} Looked in:")
    for agent, folder in looked_in():
        click.echo(f"  {agent:15} {folder}{'' if folder.exists() else ' (does not exist)'}")
    click.echo("\nGive the path of a recorded session, or try `prunus demo`: it brings its own.")


def _print(scope: str, findings: Findings) -> None:
    from prunus.cli.table import say, show
    from prunus.printable import printable

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


def _write(found: Sequence[File], json_: Path | None, html: Path | None, findings: Findings) -> None:
    """Write the requested files. This comes after the report, so that a wrong path does not lose it."""
    import msgspec

    from prunus.lab.analysis import record
    from prunus.lab.page import page

    try:
        if json_ is not None:
            json_.write_bytes(
                b"".join(msgspec.json.encode(record(row)) + b"\n" for one in found for row in one.rows)
            )
        if html is not None:
            html.write_text(page(found, findings.headline, findings.sections, findings.notes), encoding="utf-8")
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}") from error
