"""Connections to a SQLite file: how they wait for each other, bring the tables up to date, and fail."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from prunus.store.sql.database import Outdated, SqlConnection
from prunus.store.sql.migrations import Migration
from prunus.store.store import StoreError

APPLICATION: Final = 0x5072756E
"""The SQLite application id of our files: "Prun" in ASCII."""
_RETRY: Final = 0.001
"""The seconds between two tries to begin a transaction. A transaction of a request takes less than that."""
CORRUPT: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_PROBLEMS: Final = {
    sqlite3.SQLITE_BUSY: "is locked by another process",
    sqlite3.SQLITE_LOCKED: "is locked by another process",
    sqlite3.SQLITE_FULL: "is full, or its disk is",
    sqlite3.SQLITE_READONLY: "is read-only",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; its folder may be read-only",
    sqlite3.SQLITE_PERM: "may not be opened",
    sqlite3.SQLITE_IOERR: "cannot be read or written",
    sqlite3.SQLITE_CORRUPT: "is damaged",
    sqlite3.SQLITE_NOTADB: "is not a database",
}


class FileConnection(sqlite3.Connection):
    """A connection to a file; see `prunus.store.sql.database`."""

    def ask(self, statement: str, values: Sequence[Any] = (), /) -> Callable[[], list[Any]]:
        """Run a statement, and return a function that returns its rows, as they are now."""
        rows = self.execute(statement, values).fetchall()
        return lambda: rows

    def require(self, statement: str, values: Sequence[Any] = (), /) -> None:
        """Run a statement; raise Outdated if it returns no row."""
        if not self.execute(statement, values).fetchall():
            raise Outdated


def connect(path: Path, wait: float) -> FileConnection:
    """Open a file that exists; the connection waits up to `wait` seconds for the locks of others."""
    # mode=rw: if SQLite created the file itself, other users could read it.
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw",
        uri=True,
        timeout=wait,
        isolation_level=None,
        check_same_thread=False,
        factory=FileConnection,
    )
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA temp_store=MEMORY")
        # The store makes checkpoints between requests; this limit is for stores without such housekeeping.
        connection.execute("PRAGMA wal_autocheckpoint=16000")
        connection.execute(f"PRAGMA journal_size_limit={64 * 1024 * 1024}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect_writer(path: Path, wait: float) -> FileConnection:
    """Open a file for `begin_writing`, which waits for the locks of others itself."""
    connection = connect(path, wait)
    connection.execute("PRAGMA busy_timeout=0")
    return connection


def begin_writing(connection: sqlite3.Connection, wait: float) -> None:
    """Begin a transaction that writes; try again for `wait` seconds while another process writes.

    SQLite itself would soon sleep for tens of milliseconds between two tries.
    """
    until = time.monotonic() + wait
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
        time.sleep(_RETRY)


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Apply the missing migrations to a store. `PRAGMA user_version` counts those that were applied."""
    version = _version(connection, path, len(migrations))
    if version == len(migrations):
        return
    if version == 0:
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        # Set the id before the log exists, so that it is in the header of the file itself.
        connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute("PRAGMA journal_mode=WAL").fetchone()
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have migrated the store in the meantime.
    version = _version(connection, path, len(migrations))
    for migration in migrations[version:]:
        for statement in migration:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version={len(migrations)}")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection, path: Path, known: int) -> int:
    """Return the number of applied migrations. Raises StoreError for a file that this version cannot use."""
    [version] = connection.execute("PRAGMA user_version").fetchone()
    [owner] = connection.execute("PRAGMA application_id").fetchone()
    [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and owner != APPLICATION:
        raise StoreError(f"{path} is a database of another program")
    if version > known:
        raise StoreError(
            f"the store {path} was written by a newer Prunus (version {version}, this one knows {known})"
        )
    return int(version)


def pragma(connection: SqlConnection, name: str) -> int:
    """Return the value of a PRAGMA."""
    [value] = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)


def primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def describe(error: sqlite3.Error | OSError) -> str:
    """Return the end of a sentence that begins with the name of the store."""
    if isinstance(error, OSError):
        return f"cannot be used: {(error.strerror or str(error)).lower()}"
    return _PROBLEMS.get(primary_code(error), f"failed: {error}")
