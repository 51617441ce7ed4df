"""`prunus files`: list the files of a recorded session, and how much of each is known."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.body import chosen_session
from prunus.cli.options import Failure
from prunus.cli.table import say, show

if TYPE_CHECKING:
    from prunus.files import FileHistory
    from prunus.files.state import KnownFile


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
    from prunus.files import NoSuchTurn

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
    from prunus.files import FileHistory
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
