"""Requests in and out, byte for byte."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Final

import click

__all__ = ["failure", "read_body", "write_body"]

_BYTE: Final = re.compile(r" \(byte (\d+)\)")


def failure(message: str) -> click.ClickException:
    """An error of the input: exit code 2."""
    error = click.ClickException(message)
    error.exit_code = 2
    return error


def read_body(source: str, limit: int) -> bytes:
    """The bytes of a file, or of standard input for `-`; no more of them than the limit allows."""
    try:
        if source == "-":
            body = click.get_binary_stream("stdin").read(limit + 1)
        else:
            with Path(source).open("rb") as file:
                body = file.read(limit + 1)
    except OSError as error:
        raise failure(f"{name_of(source)}: {(error.strerror or str(error)).lower()}") from error
    if len(body) > limit:
        raise failure(f"{name_of(source)}: more than {limit:,} bytes, the limit (limits.body)")
    return body


def name_of(source: str) -> str:
    """A source as it is named in messages."""
    return "standard input" if source == "-" else click.format_filename(source)


def located(source: str, body: bytes, message: str) -> str:
    """A complaint about a body, with line and column where it names a byte."""
    at = _BYTE.search(message)
    if at is None:
        return f"{name_of(source)}: {message}"
    before = body[: int(at[1])]
    line = before.count(b"\n") + 1
    column = len(before) - before.rfind(b"\n")
    return f"{name_of(source)}:{line}:{column}: {message}"


def write_body(body: bytes, target: Path | None) -> None:
    """Write to standard output, or to a file that is there whole or not at all."""
    if target is None:
        stream = click.get_binary_stream("stdout")
        stream.write(body)
        stream.flush()
        return
    target = target.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(body)
            Path(name).chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise failure(f"{click.format_filename(target)}: {(error.strerror or str(error)).lower()}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
