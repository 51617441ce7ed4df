"""The size of a Postgres store.

The size of the tables on disk is no measure for the limit of a store: Postgres uses the space of removed rows
again, and does not return it to the disk.
"""

from __future__ import annotations

from typing import Final

from prunus.store.postgres.schema import SCHEMA
from prunus.store.sql import SqlConnection

_CONTENTS: Final = (("originals", "data"), ("edits", "edit"), ("written", "text"), ("hidden", "value"))
"""The columns whose bytes count towards the size limit."""


def size_of_contents(connection: SqlConnection) -> int:
    """Return the bytes of the contents that the store keeps, without the overhead of rows and indexes."""
    sums = (f"(SELECT coalesce(sum(length({column})), 0) FROM {table})" for table, column in _CONTENTS)
    [size] = connection.execute(f"SELECT {' + '.join(sums)}").fetchone()
    return int(size)


def size_on_disk(connection: SqlConnection) -> int:
    """Return the bytes of the tables with their indexes."""
    [size] = connection.execute(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
        "JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = ? AND c.relkind = 'r'",
        (SCHEMA,),
    ).fetchone()
    return int(size)
