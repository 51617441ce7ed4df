"""`prunus files`: list the files of a recorded session, and how much of each is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.body import chosen_session
from prunus.cli.options import Failure
from prunus.cli.table import say, show

if TYPE_CHECKING:
    from prunus.files import FileHistory, FileState


@click.command("files")
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option("--turn", metavar="N", type=int, help="What was known after turn N; by default at the end.")
@click.option("--json", "in_json", is_flag=True, help="Every file as JSON.")
def command(session: Path, turn: int | None, in_json: bool) -> None:
    """List the files of a session, with what is known of each.

    Takes a recorded session of any agent and lists the files that were read or changed: how often, how many lines
    are known for certain, and whether that is the whole file.

    \b
    Examples:
      prunus files session.jsonl
      prunus files session.jsonl --turn 12 --json
    """
    from prunus.files import NoSuchTurn

    name, history = open_history(session)
    try:
        timeline = history.timeline(turn)
    except NoSuchTurn as error:
        raise Failure(f"{name}: {error}") from error
    states = [(file, timeline.state(file.path)) for file in timeline.files.values()]
    if in_json:
        click.echo(json.dumps([_in_json(state, file.reads, file.edits) for file, state in states], indent=2))
        return
    if states:
        rows = [
            (state.path, str(file.reads), str(file.edits), f"{state.known:,}", _lines(state), _extent(state))
            for file, state in states
        ]
        show(("file", "reads", "edits", "known", "lines", "extent"), rows, right=(1, 2, 3, 4), flexible=(0,))
        click.echo()
    whole = sum(state.whole for _, state in states)
    after = f"after turn {turn} of {history.turns}" if turn is not None else f"after {history.turns} turns"
    say(f"{len(states)} file{'s' * (len(states) != 1)} {after}, {whole} known as a whole")


def open_history(path: Path) -> tuple[str, FileHistory]:
    """Return the name and the file history of the first session of a recording.

    Raises Failure if the recording is not readable. `FILE#2` means the second session of a file.
    """
    from prunus.errors import FormatError
    from prunus.files import FileHistory
    from prunus.providers import provider_named

    session = chosen_session(path)
    try:
        format = provider_named(session.format)
        messages = tuple(format.parse(message, b"") for message in session.messages)
    except FormatError as error:
        raise Failure(f"{click.format_filename(path)}: {error}") from error
    return session.name, FileHistory(messages)


def _lines(state: FileState) -> str:
    return "?" if state.length is None else f"{state.length:,}"


def _extent(state: FileState) -> str:
    if state.deleted:
        return "deleted"
    if state.whole:
        return "whole"
    return "part" if state.known else "unknown"


def _in_json(state: FileState, reads: int, edits: int) -> dict[str, object]:
    return {
        "path": state.path,
        "reads": reads,
        "edits": edits,
        "known": state.known,
        "lines": state.length,
        "extent": _extent(state),
    }
