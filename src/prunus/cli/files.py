"""`prunus files`, `file-at` and `changelog`: the files of a recorded session, and what the session changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.body import chosen_session
from prunus.cli.options import Failure, file_failure
from prunus.cli.table import say, show
from prunus.text.printable import printable

if TYPE_CHECKING:
    from prunus.files.at import FileHistory, NoSuchFile
    from prunus.files.state import FileState, KnownFile


@click.command("files")
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option("--turn", metavar="N", type=int, help="What was known after turn N; by default at the end.")
@click.option("--json", "in_json", is_flag=True, help="Every file as JSON.")
def command(session: Path, turn: int | None, in_json: bool) -> None:
    """List the files of a session, and how much of each is known.

    Takes a recorded session of any agent and lists the files that were read or changed: how often, how many lines
    are known for certain, and whether that is the whole file.

    \b
    Examples:
      prunus files session.jsonl
      prunus files session.jsonl --turn 12 --json
    """
    from prunus.files.at import NoSuchTurn

    name, history = open_history(session)
    try:
        timeline = history.timeline(turn)
    except NoSuchTurn as error:
        raise Failure(f"{name}: {error}") from error
    files = timeline.known_files()
    if in_json:
        click.echo(json.dumps([asdict(file) for file in files], indent=2))
        return
    if files:
        rows = [
            (file.path, str(file.reads), str(file.edits), f"{file.known:,}", _lines(file), file.extent)
            for file in files
        ]
        show(("file", "reads", "edits", "known", "lines", "extent"), rows, right=(1, 2, 3, 4), flexible=(0,))
        click.echo()
    whole = sum(file.extent == "whole" for file in files)
    after = f"after turn {turn} of {history.turns}" if turn is not None else f"after {history.turns} turns"
    say(f"{len(files)} file{'s' * (len(files) != 1)} {after}, {whole} known as a whole")


def open_history(path: Path) -> tuple[str, FileHistory]:
    """Return the name and the file history of the first session of a recording.

    Raises Failure if the recording is not readable. `FILE#2` means the second session of a file.
    """
    from prunus.errors import FormatError
    from prunus.files.at import FileHistory
    from prunus.providers import provider_named

    session = chosen_session(path)
    try:
        format = provider_named(session.format)
        messages = tuple(format.parse(message, b"") for message in session.messages)
    except FormatError as error:
        raise Failure(f"{click.format_filename(path)}: {error}") from error
    return session.name, FileHistory(messages)


def _lines(file: KnownFile) -> str:
    return "?" if file.lines is None else f"{file.lines:,}"


@click.command("file-at")
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.argument("path", metavar="PATH")
@click.option("--turn", metavar="N", type=int, help="After the results of turn N; by default at the end.")
@click.option("--diff", "since", metavar="N", type=int, help="Show what changed since turn N instead.")
@click.option("--full-diff", is_flag=True, help="Show every edit of the session instead, as its call says it.")
def file_at_command(session: Path, path: str, turn: int | None, since: int | None, full_diff: bool) -> None:
    """Show what a file contained at some turn of a session.

    Follows reads, edits, patches and commands, and shows the lines that are certain; marks stand for the other
    lines. Turns are the messages of the assistant, counted from 1. PATH may be the end of a longer path.

    \b
    Examples:
      prunus file-at session.jsonl src/app.py
      prunus file-at session.jsonl app.py --turn 12
      prunus file-at session.jsonl app.py --diff 12
      prunus file-at session.jsonl app.py --full-diff
    """
    from prunus.files.at import NoSuchFile, NoSuchTurn

    if full_diff and since is not None:
        raise click.UsageError("give --diff or --full-diff, not both")
    name, history = open_history(session)
    try:
        if full_diff:
            edits = history.diff(path, turn)
            click.echo(
                "\n".join(printable(line, keep="\t") for line in edits)
                if edits
                else f"{printable(path)}: not edited in this session"
            )
            return
        now = history.file_state_at(path, turn)
        before = None if since is None else history.file_state_at(path, since)
    except NoSuchTurn as error:
        raise Failure(f"{name}: {error}") from error
    except NoSuchFile as error:
        raise Failure(_unknown(error, history)) from error
    for state, at in ((before, since), (now, turn)):
        if state is not None and not (state.known or state.deleted or state.length == 0):
            raise Failure(_uncertain(state, at, history))
    if before is not None:
        lines = list(_difference(before, now, since, turn))
        click.echo(
            "\n".join(lines)
            if lines
            else f"{printable(now.path)}: nothing known to have changed since turn {since}"
        )
        return
    if now.deleted:
        click.echo(f"[{printable(now.path)}: deleted]")
        return
    for line in shown(now):
        click.echo(line)


def shown(state: FileState) -> Iterator[str]:
    """Yield the known lines of a file, and a mark for each unknown stretch."""
    for first, last, certain in state.runs:
        if certain:
            yield from (printable(line, keep="\t") for line in state.lines[first - 1 : last] if line is not None)
        else:
            yield f"[lines {first}-{last} not known]" if last > first else f"[line {first} not known]"
    if state.length is None:
        yield f"[what follows line {len(state.lines)} not known]"


def _difference(before: FileState, now: FileState, since: int | None, turn: int | None) -> Iterator[str]:
    later = "the end" if turn is None else f"turn {turn}"
    return unified_diff(
        list(shown(before)) if not before.deleted else [],
        list(shown(now)) if not now.deleted else [],
        f"{printable(now.path)} after turn {since}",
        f"{printable(now.path)} after {later}",
        lineterm="",
    )


def _uncertain(state: FileState, turn: int | None, history: FileHistory) -> str:
    """Return an error for a file without known lines, with the last turn that has some."""
    at = history.turns if turn is None else turn
    last = history.last_known(state.path, at)
    hint = f"; lines of it are known after turn {last} (--turn {last})" if last is not None else ""
    return f"{printable(state.path)}: nothing is certain after turn {at}{hint}"


def _unknown(error: NoSuchFile, history: FileHistory) -> str:
    """Return an error for an unknown path, with similar paths, each on a line of its own."""
    names = "".join(f"\n  {printable(candidate)}" for candidate in error.candidates)
    if error.ambiguous:
        return f"{printable(error.path)}: several files end so; name one of them{names}"
    if names:
        return f"{printable(error.path)}: not read or changed in this session; did you mean{names}"
    count = len(history.files)
    return f"{printable(error.path)}: not read or changed in this session ({count} files are; see `prunus files`)"


@click.command("changelog")
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option(
    "--format", "format_", type=click.Choice(["md", "json"]), default="md", show_default=True,
    help="Markdown, or everything as JSON.",
)  # fmt: skip
@click.option(
    "--since", metavar="TURN", type=click.IntRange(1), default=1, help="Only what was done from this turn on."
)
def changelog_command(session: Path, format_: str, since: int) -> None:
    """List what a recorded session changed, and why.

    Takes a recorded session of any agent that Prunus knows, or a request. Each file has one line per purpose with
    the lines added and removed. The purpose is the intent of the call, or else the text that the assistant wrote
    before the call, marked [inferred]. The list omits edits that failed or were reverted.

    A recording may hold several conversations, after a compaction or with sub-agents. The list treats them as one
    and counts their turns continuously.

    \b
    Examples:
      prunus changelog session.jsonl
      prunus changelog session.jsonl --since 40
      prunus changelog request.json --format json
    """
    from prunus.changelog import as_json, as_markdown, generate_changelog
    from prunus.clients.sessions import load

    try:
        log = generate_changelog(load(session), since)
    except OSError as error:
        raise file_failure(click.format_filename(session), error) from error
    if format_ == "json":
        click.echo(json.dumps(as_json(log), ensure_ascii=False, indent=2))
    elif since > 1 and not log.files:
        click.echo(f"No file was changed from turn {since} on.")
    else:
        click.echo(as_markdown(log), nl=False)
