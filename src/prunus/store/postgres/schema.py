"""The tables of a Postgres store: how they are made, brought up to date, and measured.

The tables are in a schema of their own, so that other programs may use the same database. The table `migrations`
counts the applied migrations.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from prunus.store.sql.database import SqlConnection
from prunus.store.sql.migrations import COUNT_EARLIER_DAYS, MIGRATIONS, Migration
from prunus.store.store import NoStore, StoreError

SCHEMA: Final = "prunus"

_TYPES: Final = {
    r"\bn INTEGER PRIMARY KEY": "n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    r"\bINTEGER\b": "bigint",
    r"\bREAL\b": "float8",
    r"\bBLOB\b": "bytea",
    # Texts are compared by their bytes, as SQLite does.
    r"\bTEXT\b": 'text COLLATE "C"',
    r"\bx''": "''",
    r" WITHOUT ROWID": "",
}
"""What Postgres writes in place of the words of SQLite."""
_JOINED: Final = 8
"""The first migration of a Postgres store makes the tables that SQLite stores had got by then in so many."""

_CONTENTS: Final = (("originals", "data"), ("edits", "edit"), ("written", "text"), ("hidden", "value"))
"""The columns whose bytes count towards the size limit."""
_SLOW: Final = 0.05
"""A measurement that takes longer than this many seconds is not repeated soon."""
_SHARE: Final = 500.0
"""The time until the next one, as a multiple of the time that it took."""


def _translated(migrations: Sequence[Migration]) -> Iterator[Migration]:
    first = [statement for migration in migrations[:_JOINED] for statement in migration]
    first.remove(COUNT_EARLIER_DAYS)
    # The originals are compressed already, so Postgres shall not try to compress them.
    first.append("ALTER TABLE originals ALTER COLUMN data SET STORAGE EXTERNAL")
    for migration in (first, *migrations[_JOINED:]):
        yield tuple(map(_in_postgres, migration))


def _in_postgres(statement: str) -> str:
    for word, other in _TYPES.items():
        statement = re.sub(word, other, statement)
    return statement


POSTGRES_MIGRATIONS: Final = tuple(_translated(MIGRATIONS))


def applied_migrations(connection: SqlConnection) -> int:
    """Return the number of applied migrations."""
    [there] = connection.execute("SELECT to_regclass(?) IS NOT NULL", (f"{SCHEMA}.migrations",)).fetchone()
    if not there:
        return 0
    [version] = connection.execute(f"SELECT coalesce(max(n), 0) FROM {SCHEMA}.migrations").fetchone()
    return int(version)


def check_version(version: int, place: str, *, existing: bool) -> None:
    """Raise StoreError if this version of Prunus cannot use the store."""
    known = len(POSTGRES_MIGRATIONS)
    if version > known:
        raise StoreError(
            f"the store {place} was written by a newer Prunus (version {version}, this one knows {known})"
        )
    if not version and existing:
        raise NoStore(f"there is no store at {place}")


def migrate_tables(connection: SqlConnection) -> None:
    """Apply the missing migrations; the caller holds a transaction that runs alone."""
    [there] = connection.execute("SELECT to_regnamespace(?) IS NOT NULL", (SCHEMA,)).fetchone()
    # With IF NOT EXISTS too, Postgres refuses users who may not create schemas, even where the schema is there.
    if not there:
        connection.execute(f"CREATE SCHEMA {SCHEMA}")
    connection.execute(f"CREATE TABLE IF NOT EXISTS {SCHEMA}.migrations (n bigint PRIMARY KEY)")
    # Another replica may have migrated the store in the meantime.
    done = applied_migrations(connection)
    for number, migration in enumerate(POSTGRES_MIGRATIONS[done:], done + 1):
        for statement in migration:
            connection.execute(statement)
        connection.execute(f"INSERT INTO {SCHEMA}.migrations (n) VALUES (?)", (number,))


def size_on_disk(connection: SqlConnection) -> int:
    """Return the bytes of the tables with their indexes."""
    [size] = connection.execute(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
        "JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = ? AND c.relkind = 'r'",
        (SCHEMA,),
    ).fetchone()
    return int(size)


def size_of_contents(connection: SqlConnection) -> int:
    """Return the bytes of the contents that the store keeps, without the overhead of rows and indexes.

    This is what `store.size` limits. The size on disk does not shrink when rows are removed: Postgres uses their
    space again.
    """
    sums = (f"(SELECT coalesce(sum(length({column})), 0) FROM {table})" for table, column in _CONTENTS)
    [size] = connection.execute(f"SELECT {' + '.join(sums)}").fetchone()
    return int(size)


class ContentSize:
    """The size of the contents. Measuring reads whole tables, so a large store is measured only now and then."""

    def __init__(self, measure: Callable[[], int], clock: Callable[[], float] = time.monotonic) -> None:
        self._measure = measure
        self._clock = clock
        self._size = 0
        self._until = float("-inf")
        """The time until which the size is not measured again."""

    def after(self, removed: int) -> int:
        """Return the size, after `removed` bytes were removed since the last call."""
        begun = self._clock()
        if begun < self._until:
            self._size -= removed
            return self._size
        self._size = self._measure()
        took = self._clock() - begun
        if took > _SLOW:
            self._until = begun + _SHARE * took
        return self._size
