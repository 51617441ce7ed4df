"""`prunus file-at`: show the content of a file at a turn of a recorded session."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.files import open_history
from prunus.cli.options import Failure
from prunus.text.printable import printable

if TYPE_CHECKING:
    from prunus.files import FileHistory, FileState, NoSuchFile


@click.command("file-at")
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.argument("path", metavar="PATH")
@click.option("--turn", metavar="N", type=int, help="After the results of turn N; by default at the end.")
@click.option("--diff", "since", metavar="N", type=int, help="Show what changed since turn N instead.")
@click.option("--full-diff", is_flag=True, help="Show every edit of the session instead, as its call says it.")
def command(session: Path, path: str, turn: int | None, since: int | None, full_diff: bool) -> None:
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
    from prunus.files import NoSuchFile, NoSuchTurn

    name, history = open_history(session)
    try:
        if full_diff:
            edits = history.diff(path, turn)
            click.echo("\n".join(map(printed, edits)) if edits else f"{path}: not edited in this session")
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
        click.echo("\n".join(lines) if lines else f"{now.path}: nothing known to have changed since turn {since}")
        return
    if now.deleted:
        click.echo(f"[{now.path}: deleted]")
        return
    for line in shown(now):
        click.echo(line)


def shown(state: FileState) -> Iterator[str]:
    """Yield the known lines of a file, and a mark for each unknown stretch."""
    for first, last, certain in state.runs:
        if certain:
            yield from (printed(line) for line in state.lines[first - 1 : last] if line is not None)
        else:
            yield f"[lines {first}-{last} not known]" if last > first else f"[line {first} not known]"
    if state.length is None:
        yield f"[what follows line {len(state.lines)} not known]"


def printed(line: str) -> str:
    """Return a line without control characters, except tabs."""
    return "\t".join(printable(piece) for piece in line.split("\t"))


def _difference(before: FileState, now: FileState, since: int | None, turn: int | None) -> Iterator[str]:
    later = "the end" if turn is None else f"turn {turn}"
    return unified_diff(
        list(shown(before)) if not before.deleted else [],
        list(shown(now)) if not now.deleted else [],
        f"{now.path} after turn {since}",
        f"{now.path} after {later}",
        lineterm="",
    )


def _uncertain(state: FileState, turn: int | None, history: FileHistory) -> str:
    """Return an error for a file without known lines, with the last turn that has some."""
    at = history.turns if turn is None else turn
    last = history.last_known(state.path, at)
    hint = f"; lines of it are known after turn {last} (--turn {last})" if last is not None else ""
    return f"{state.path}: nothing is certain after turn {at}{hint}"


def _unknown(error: NoSuchFile, history: FileHistory) -> str:
    """Return an error for an unknown path, with similar paths, each on a line of its own."""
    names = "".join(f"\n  {candidate}" for candidate in error.candidates)
    if error.ambiguous:
        return f"{error.path}: several files end so; name one of them{names}"
    if names:
        return f"{error.path}: not read or changed in this session; did you mean{names}"
    count = len(history.files)
    return f"{error.path}: not read or changed in this session ({count} files are; see `prunus files`)"
