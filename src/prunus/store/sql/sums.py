"""Rows that add up what many conversations do, such as the totals of a tenant.

Each transaction that adds to such a row makes all others wait that add to it too, on every replica, until it ends.
So additions are collected, and written as the last statements before the commit, always in the same order. What
they depend on is asked for on the way, and read together in front of them: a server then answers once. A request
that is not sent yet leaves its additions to the transaction that records its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from prunus.store.sql.database import SqlConnection


def adding(table: str, key: Sequence[str], sums: Iterable[str]) -> str:
    """Return a statement that takes a key and values, and adds the values to the row with this key."""
    columns = (*key, *sums)
    added = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in columns[len(key) :])
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "
        f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {added}"
    )


class Additions:
    """The additions of one transaction."""

    def __init__(self) -> None:
        self._uncounted: list[Callable[[], None]] = []
        self._added: dict[str, dict[tuple[Any, ...], list[float]]] = {}

    def add(self, statement: str, key: tuple[Any, ...], values: Iterable[float]) -> None:
        """Add values to the row with a key; `adding` makes the statement."""
        rows = self._added.setdefault(statement, {})
        known = rows.get(key)
        rows[key] = [*values] if known is None else [a + b for a, b in zip(known, values, strict=True)]

    def count_later(self, count: Callable[[], None]) -> None:
        """Have a callback read the rows that it asked for, and add to the sums, once all statements are sent."""
        self._uncounted.append(count)

    def take(self, others: Additions) -> None:
        """Add the additions of another transaction, which has counted them."""
        for statement, rows in others._added.items():
            for key, values in rows.items():
                self.add(statement, key, values)

    def count(self) -> None:
        """Run the callbacks of `count_later`."""
        for count in self._uncounted:  # one of them may append another
            count()
        self._uncounted.clear()  # a callback holds these additions, and would keep them in memory

    def write(self, connection: SqlConnection) -> None:
        """Write all additions; the transaction should end then."""
        self.count()
        for statement, rows in sorted(self._added.items()):
            connection.executemany(statement, [(*key, *values) for key, values in sorted(rows.items())])
