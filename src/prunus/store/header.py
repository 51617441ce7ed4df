"""Whose a file is, by its first bytes (https://www.sqlite.org/fileformat.html, 1.3)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from prunus.store.schema import APPLICATION
from prunus.store.store import StoreError

_MAGIC: Final = b"SQLite format 3\0"
_APPLICATION_AT: Final = 68


def check_file(path: Path) -> None:
    """Raise StoreError where a path names a file that is no SQLite database: such a file is not ours to touch."""
    if path.is_file() and path.stat().st_size and not _header(path).startswith(_MAGIC):
        raise StoreError(f"the store {path} is not a database; it was left as it is")


def has_our_header(path: Path) -> bool:
    """Whether a file is a SQLite database that Prunus made."""
    header = _header(path)
    return header.startswith(_MAGIC) and header[_APPLICATION_AT:] == APPLICATION.to_bytes(4, "big")


def _header(path: Path) -> bytes:
    """The start of a file up to its application id."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(_APPLICATION_AT + 4)
    return b""
