"""Read requests and recorded sessions from files, and write request bodies."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Final

import click

from prunus.cli.options import Failure, file_failure

if TYPE_CHECKING:
    from prunus.clients.sessions import Session


_BYTE: Final = re.compile(r" \(byte (\d+)\)")
_MARK: Final = b"\xef\xbb\xbf"
"""The byte order mark that some editors write before UTF-8; JSON does not allow it."""


def read_body(source: str, limit: int) -> bytes:
    """Return the bytes of a file, or of standard input for `-`, without a byte order mark.

    Raises Failure if there are more than `limit` bytes.
    """
    try:
        if source == "-":
            body = sys.stdin.buffer.read(limit + 1)
        else:
            with Path(source).open("rb") as file:
                body = file.read(limit + 1)
    except OSError as error:
        raise file_failure(name_of(source), error) from error
    return _within(limit, body, source).removeprefix(_MARK)


def _within(limit: int, body: bytes, source: str) -> bytes:
    """Return the body. Raises Failure if it has more than `limit` bytes."""
    if len(body) > limit:
        raise Failure(f"{name_of(source)}: more than {limit:,} bytes, the limit (limits.body)")
    return body


def is_file(source: str) -> bool:
    """Return whether a source is standard input, a file that exists, or a session of such a file (`FILE#2`)."""
    return source == "-" or _numbered(source)[0].exists()


def name_of(source: str) -> str:
    """Return the name of a source for messages."""
    return "standard input" if source == "-" else click.format_filename(source)


def located_error(source: str, body: bytes, message: str) -> str:
    """Return an error message about a body, with line and column if known."""
    if not body.strip():
        return f"{name_of(source)}: is empty"
    at, message = _place(body, message)
    if at is None:
        return f"{name_of(source)}: {message}"
    line = body.count(b"\n", 0, at) + 1
    column = at - body.rfind(b"\n", 0, at)
    return f"{name_of(source)}:{line}:{column}: {message}"


def _place(body: bytes, message: str) -> tuple[int | None, str]:
    """Return the position of the error, and the message. For invalid UTF-8 the JSON reader names no position."""
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return error.start, f"not UTF-8: {error.reason}"
    named = _BYTE.search(message)
    return (None if named is None else int(named[1])), message


def write_body(body: bytes, target: Path | None) -> None:
    """Write a body to standard output, or replace a file atomically."""
    if target is None:
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
        return
    target = target.resolve()
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(body)  # A device or a pipe cannot be replaced.
        else:
            _replace(target, body)
    except OSError as error:
        raise file_failure(click.format_filename(target), error) from error


def _replace(target: Path, body: bytes) -> None:
    beside = target.with_name(f".{target.name}.{token_hex(4)}")
    try:
        with beside.open("xb") as file:
            if target.exists():
                shutil.copymode(target, beside)
            file.write(body)
        beside.replace(target)
    except BaseException:  # Also on Ctrl-C: the half-written file must not stay.
        beside.unlink(missing_ok=True)
        raise


turn_option = click.option(
    "--turn", metavar="N", type=click.IntRange(1),
    help="Take the request of turn N of a recorded session; by default the last request.",
)  # fmt: skip


def read_request(source: str, format_: str | None, turn: int | None, limit: int) -> bytes:
    """Return the request in a file or on standard input; in a recorded session, the request of a turn.

    A file that is neither a request nor a session is returned unchanged, so that the later error names the place
    where the request is malformed.
    """
    from prunus.clients.recorded_file import LARGEST, unpack
    from prunus.providers import encode

    if source == "-":
        if turn is not None:
            raise click.UsageError("--turn needs a file")
        return read_body(source, limit)
    path, number = _numbered(source)
    if turn is None and number is None:
        body = unpack(read_body(source, LARGEST), name_of(source)).removeprefix(_MARK)
        if not _is_recording(path, body, format_):
            return _within(limit, body, source)
    session = chosen_session(Path(source), newest=True)
    asked = len(session.requests)
    if turn is not None and turn > asked:
        raise Failure(f"{click.format_filename(path)}: has {asked} turn{'s' * (asked != 1)}, not {turn}")
    return encode(session.body(-1 if turn is None else turn - 1))


def _is_recording(path: Path, body: bytes, format_: str | None) -> bool:
    """Return whether a file has to be read as recorded sessions, because it is not a request itself.

    Some agents keep their sessions in documents that look like requests. OpenCode has one format for both.
    """
    from prunus.clients.recorded_file import decode_object
    from prunus.clients.sessions import is_recorded
    from prunus.errors import FormatError
    from prunus.providers import frame
    from prunus.providers.recognition import FIELDS

    try:
        framed = frame(body, format_).format
    except FormatError:
        framed = None
    if framed is not None and (format_ is not None or framed.bare_list):
        return False
    try:
        if is_recorded(path):
            return True
    except FormatError:
        return False
    # A request that cannot be framed has a fault, which must be named. Other files hold requests inside.
    return framed is None and not any(field in FIELDS for field in decode_object(body) or ())


def chosen_session(path: Path, *, newest: bool = False) -> Session:
    """Return the first session of a recorded file, or the newest; raises Failure or FormatError.

    `FILE#2` means the second session of a file.
    """
    from prunus.clients.sessions import load

    path, number = _numbered(str(path))
    shown = click.format_filename(path)
    try:
        sessions = load(path)
    except OSError as error:
        raise file_failure(shown, error) from error
    count = len(sessions)
    wanted = number if number is not None else count if newest else 1
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
    """Split `FILE#2` into the file and the number of the session, which is None if not given."""
    plain, mark, number = source.rpartition("#")
    if mark and number.isdigit() and not Path(source).exists():
        return Path(plain), int(number)
    return Path(source), None
