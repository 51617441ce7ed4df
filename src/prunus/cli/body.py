"""Requests in and out, byte for byte."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Final

import click

from prunus.cli.failure import Failure

_BYTE: Final = re.compile(r" \(byte (\d+)\)")


def read_body(source: str, limit: int) -> bytes:
    """The bytes of a file, or of standard input for `-`; no more of them than the limit allows."""
    try:
        if source == "-":
            body = sys.stdin.buffer.read(limit + 1)
        else:
            with Path(source).open("rb") as file:
                body = file.read(limit + 1)
    except OSError as error:
        raise Failure(f"{name_of(source)}: {(error.strerror or str(error)).lower()}") from error
    if len(body) > limit:
        raise Failure(f"{name_of(source)}: more than {limit:,} bytes, the limit (limits.body)")
    return body


def name_of(source: str) -> str:
    """A source as it is named in messages."""
    return "standard input" if source == "-" else click.format_filename(source)


def located(source: str, body: bytes, message: str) -> str:
    """A complaint about a body, with line and column where there is a place to name."""
    if not body.strip():
        return f"{name_of(source)}: is empty"
    at, message = _place(body, message)
    if at is None:
        return f"{name_of(source)}: {message}"
    line = body.count(b"\n", 0, at) + 1
    column = at - body.rfind(b"\n", 0, at)
    return f"{name_of(source)}:{line}:{column}: {message}"


def _place(body: bytes, message: str) -> tuple[int | None, str]:
    """The byte that is to blame. The JSON reader names none for text that is not UTF-8, so that is looked for."""
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return error.start, f"not UTF-8: {error.reason}"
    named = _BYTE.search(message)
    return (None if named is None else int(named[1])), message


def write_body(body: bytes, target: Path | None) -> None:
    """Write to standard output, or to a file that is there whole or not at all."""
    if target is None:
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
        return
    target = target.resolve()
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(body)  # a device or a pipe is written to; only files are replaced
        else:
            _replace(target, body)
    except OSError as error:
        raise Failure(f"{click.format_filename(target)}: {(error.strerror or str(error)).lower()}") from error


def _replace(target: Path, body: bytes) -> None:
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:  # also when the user interrupts: the half-written file must not stay
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
