"""Recorded sessions as commands take them: by file, by session of a file, by turn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.body import read_body
from prunus.cli.failure import Failure

if TYPE_CHECKING:
    from prunus.clients.sessions import Session

turn_option = click.option(
    "--turn", metavar="N", type=click.IntRange(1),
    help="Of a recorded session, the request that turn N answers; by default the last request.",
)  # fmt: skip


def read_request(source: str, format_: str | None, turn: int | None, limit: int) -> bytes:
    """The request in a file or on standard input; of a recorded session, the request of some turn.

    What can be read as a request is one. A file that is neither comes back as it is, so that the complaint about it
    names the place where it stops being a request.
    """
    from prunus.clients.sessions import load
    from prunus.errors import FormatError
    from prunus.providers import encode, frame

    if source == "-":
        if turn is not None:
            raise click.UsageError("--turn needs a file")
        return read_body(source, limit)
    path, number = _numbered(source)
    if turn is None and number is None:
        body = read_body(source, limit)
        try:
            frame(body, format_)
        except FormatError:
            try:
                load(path)
            except FormatError:
                return body
        else:
            return body
    session = chosen_session(Path(source), newest=True)
    asked = len(session.requests)
    if turn is not None and turn > asked:
        raise Failure(f"{click.format_filename(path)}: has {asked} turn{'s' * (asked != 1)}, not {turn}")
    return encode(session.body(-1 if turn is None else turn - 1))


def chosen_session(path: Path, *, newest: bool = False) -> Session:
    """The first session of a recorded file, or the newest; ends the program if it cannot be read.

    `FILE#2` is the second session of a file.
    """
    from prunus.clients.sessions import load
    from prunus.errors import FormatError

    path, number = _numbered(str(path))
    shown = click.format_filename(path)
    try:
        sessions = load(path)
    except OSError as error:
        raise Failure(f"{shown}: {(error.strerror or str(error)).lower()}") from error
    except FormatError as error:
        raise Failure(str(error)) from error
    count = len(sessions)
    wanted = number or (count if newest else 1)
    if not 1 <= wanted <= count:
        raise Failure(
            f"{shown}: holds {f'{count} session' + 's' * (count != 1) if count else 'no session with a request'}"
        )
    if count > 1 and number is None:
        other = "#1 for the first" if newest else "#2 for the second"
        click.echo(
            f"{shown} holds {count} sessions; this is the {'last' if newest else 'first'} ({other})", err=True
        )
    return sessions[wanted - 1]


def _numbered(source: str) -> tuple[Path, int | None]:
    """A file, and which of its sessions is meant where that is said."""
    plain, mark, number = source.rpartition("#")
    if mark and number.isdigit() and not Path(source).exists():
        return Path(plain), int(number)
    return Path(source), None
