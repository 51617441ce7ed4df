"""The size of a Postgres store.

The size of the tables on disk is no measure for the limit of a store: Postgres uses the space of removed rows
again, and does not return it to the disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from prunus.store.postgres.schema import SCHEMA
from prunus.store.sql import SqlConnection

_CONTENTS: Final = (("originals", "data"), ("edits", "edit"), ("written", "text"), ("hidden", "value"))
"""The columns whose bytes count towards the size limit."""
_SLOW: Final = 0.05
"""A measurement that takes longer than this many seconds is not repeated soon."""
_SHARE: Final = 500.0
"""The time until the next one, as a multiple of the time that it took."""


def size_of_contents(connection: SqlConnection) -> int:
    """Return the bytes of the contents that the store keeps, without the overhead of rows and indexes."""
    sums = (f"(SELECT coalesce(sum(length({column})), 0) FROM {table})" for table, column in _CONTENTS)
    [size] = connection.execute(f"SELECT {' + '.join(sums)}").fetchone()
    return int(size)


class ContentSize:
    """The size of the contents. It reads whole tables, so that a large store is measured only now and then."""

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


def size_on_disk(connection: SqlConnection) -> int:
    """Return the bytes of the tables with their indexes."""
    [size] = connection.execute(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
        "JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = ? AND c.relkind = 'r'",
        (SCHEMA,),
    ).fetchone()
    return int(size)
