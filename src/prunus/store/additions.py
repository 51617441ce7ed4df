"""Rows that add up what many conversations do, such as the totals of a tenant.

Each transaction that adds to such a row makes all others wait that add to it too, on every replica, until it ends.
So additions are collected, and written as the last statements before the commit, always in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from prunus.store.sql import SqlConnection


class Additions:
    """The additions of one transaction."""

    def __init__(self) -> None:
        self._added: dict[str, dict[tuple[Any, ...], list[float]]] = {}

    def add(self, statement: str, key: tuple[Any, ...], values: Iterable[float]) -> None:
        """Add values to the row with a key; the statement takes the key and the values."""
        rows = self._added.setdefault(statement, {})
        known = rows.get(key)
        rows[key] = [*values] if known is None else [a + b for a, b in zip(known, values, strict=True)]

    def write(self, connection: SqlConnection) -> None:
        """Write all additions; the transaction should end then."""
        for statement, rows in sorted(self._added.items()):
            connection.executemany(statement, [(*key, *values) for key, values in sorted(rows.items())])
