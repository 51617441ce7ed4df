"""Bring the tables of a SQLite store up to date. `PRAGMA user_version` counts the applied migrations."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from prunus.store.migrations import MIGRATIONS, Migration
from prunus.store.sql import SqlConnection
from prunus.store.store import StoreError

APPLICATION: Final = 0x5072756E
"""The SQLite application id of our files: "Prun" in ASCII."""


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Apply the missing migrations to a store."""
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
