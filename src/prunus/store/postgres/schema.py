"""Bring the tables of a Postgres store up to date.

The tables are in a schema of their own, so that other programs may use the same database. The table `migrations`
counts the applied migrations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from prunus.store.migrations import Migration
from prunus.store.sql import SqlConnection
from prunus.store.store import NoStore, StoreError

SCHEMA: Final = "prunus"


def applied_migrations(connection: SqlConnection) -> int:
    """Return the number of applied migrations."""
    [there] = connection.execute("SELECT to_regclass(?) IS NOT NULL", (f"{SCHEMA}.migrations",)).fetchone()
    if not there:
        return 0
    [version] = connection.execute(f"SELECT coalesce(max(n), 0) FROM {SCHEMA}.migrations").fetchone()
    return int(version)


def check_version(version: int, known: int, place: str, *, existing: bool) -> None:
    """Raise StoreError if this version of Prunus cannot use the store."""
    if version > known:
        raise StoreError(
            f"the store {place} was written by a newer Prunus (version {version}, this one knows {known})"
        )
    if not version and existing:
        raise NoStore(f"there is no store at {place}")


def migrate_tables(connection: SqlConnection, migrations: Sequence[Migration]) -> None:
    """Apply the missing migrations; the caller holds a transaction that runs alone."""
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    connection.execute(f"CREATE TABLE IF NOT EXISTS {SCHEMA}.migrations (n bigint PRIMARY KEY)")
    # Another replica may have migrated the store in the meantime.
    done = applied_migrations(connection)
    for number, migration in enumerate(migrations[done:], done + 1):
        for statement in migration:
            connection.execute(statement)
        connection.execute(f"INSERT INTO {SCHEMA}.migrations (n) VALUES (?)", (number,))
