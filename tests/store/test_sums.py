"""Additions to shared rows are written together, at the end of a transaction and always in the same order."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from prunus.store import open_store
from prunus.store.sql.sums import Additions
from tests.store.samples import exchange, receipt

ADD = "INSERT INTO fruits VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n, w = w + excluded.w"


class Listed(sqlite3.Connection):
    """Notes the rows that it writes, in their order."""

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> sqlite3.Cursor:
        self.rows = [*getattr(self, "rows", ()), *(tuple(row) for row in rows)]
        return super().executemany(statement, self.rows)


def test_additions_to_one_row_are_one_statement_and_rows_come_in_order() -> None:
    connection = sqlite3.connect(":memory:", factory=Listed)
    connection.execute("CREATE TABLE fruits (name TEXT PRIMARY KEY, n INTEGER, w REAL)")
    connection.execute("INSERT INTO fruits VALUES ('plum', 10, 0.5)")
    sums = Additions()
    for name, n, weight in [("sloe", 1, 0.25), ("plum", 2, 0.5), ("plum", -1, 0.25)]:
        sums.add(ADD, (name,), (n, weight))
    sums.write(connection)
    assert connection.rows == [("plum", 1, 0.75), ("sloe", 1, 0.25)]
    assert connection.execute("SELECT * FROM fruits ORDER BY name").fetchall() == [
        ("plum", 11, 1.25),
        ("sloe", 1, 0.25),
    ]
    connection.close()


def test_nothing_is_written_where_nothing_was_added() -> None:
    connection = sqlite3.connect(":memory:", factory=Listed)
    Additions().write(connection)
    assert not hasattr(connection, "rows")
    connection.close()


def test_nothing_of_an_exchange_waits_for_the_garbage_collector(tmp_path: Path) -> None:
    """The proxy collects only in quiet moments, so a cycle would hold removed texts until then."""
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    gc.collect()
    gc.disable()
    try:
        store.record("", exchange("c1", 1), [receipt("000001", kind="read")])
        store.record_all([("", exchange("c1", 1, status=200, shadow=True))])
        assert not [one for one in gc.get_objects() if isinstance(one, Additions)]
    finally:
        gc.enable()
        store.close()
