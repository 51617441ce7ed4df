"""What SQLite's error codes mean for a store."""

from __future__ import annotations

import sqlite3
from typing import Final

CORRUPT: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_PROBLEMS: Final = {
    sqlite3.SQLITE_BUSY: "is locked by another process",
    sqlite3.SQLITE_LOCKED: "is locked by another process",
    sqlite3.SQLITE_FULL: "is full, or its disk is",
    sqlite3.SQLITE_READONLY: "is read-only",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_PERM: "may not be opened",
    sqlite3.SQLITE_IOERR: "cannot be read or written",
    sqlite3.SQLITE_CORRUPT: "is damaged",
    sqlite3.SQLITE_NOTADB: "is not a database",
}


def primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def describe(error: sqlite3.Error | OSError) -> str:
    """Return the end of a sentence that begins with the name of the store."""
    if isinstance(error, OSError):
        return f"cannot be used: {(error.strerror or str(error)).lower()}"
    return _PROBLEMS.get(primary_code(error), f"failed: {error}")
