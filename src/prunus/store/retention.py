"""Keeping the store within its bounds: the oldest conversations go first, and what only they needed with them.

Each round is short and has a transaction of its own, so that a request never waits long for one.
"""

from __future__ import annotations

import sqlite3
import time
from typing import Final

from prunus.store.database import Database

_ROUND: Final = 4
"""Conversations that go in one transaction."""
_ORIGINALS: Final = 64
"""Originals that go in one, where only a single conversation is left."""
_SLACK: Final = 0.9
"""How full it is afterwards, so that it is not full again at once."""
_PAGES: Final = 2_000
"""Empty pages that are given back to the disk in one go, and that are left alone below."""
_DAY: Final = 86_400.0


def used(connection: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    [pages] = connection.execute("PRAGMA page_count").fetchone()
    [free] = connection.execute("PRAGMA freelist_count").fetchone()
    [size] = connection.execute("PRAGMA page_size").fetchone()
    return int((pages - free) * size)


def tidy(database: Database, *, size: int, days: int, now: float, seconds: float | None = 0.05) -> bool:
    """Remove what is too old or too much; says whether it got through in the seconds given."""
    until = None if seconds is None else time.monotonic() + seconds
    oldest = now - days * _DAY
    full = database.read(used) > size
    while database.write(lambda connection: _round(connection, oldest, size, full)):
        if until is not None and time.monotonic() > until:
            return False
    database.write(lambda connection: _forget_loose(connection, oldest))
    database.read(_shrink)
    return True


def _round(connection: sqlite3.Connection, oldest: float, size: int, full: bool) -> bool:
    """Remove a few; says whether there may be more to remove."""
    rows = connection.execute(
        "SELECT n, tenant, id, last FROM conversations ORDER BY last LIMIT ?", (_ROUND + 1,)
    ).fetchall()
    gone = [row for row in rows[:_ROUND] if row[3] < oldest]
    over = full and used(connection) > size * _SLACK
    if over and not gone:
        # The newest one is at work now.
        gone = rows[:_ROUND] if len(rows) > _ROUND else rows[:-1]
    if gone:
        _remove(connection, gone)
        return True
    return over and _thin_out(connection)


def _remove(connection: sqlite3.Connection, gone: list[tuple[int, str, str, float]]) -> None:
    for number, tenant, id, last in gone:
        originals = connection.execute(
            "SELECT DISTINCT original FROM receipts WHERE conversation = ? AND original IS NOT NULL", (number,)
        ).fetchall()
        connection.execute("DELETE FROM conversations WHERE n = ?", (number,))
        connection.executemany(
            "DELETE FROM originals WHERE n = ? AND NOT EXISTS "
            "(SELECT 1 FROM receipts WHERE receipts.original = originals.n)",
            originals,
        )
        connection.execute("DELETE FROM asked WHERE tenant = ? AND conversation = ?", (tenant, id))
        connection.execute("DELETE FROM hidden WHERE seen < ?", (last,))


def _thin_out(connection: sqlite3.Connection) -> bool:
    """Remove the oldest originals of the last conversation; its receipts stay."""
    cursor = connection.execute(
        "DELETE FROM originals WHERE n IN "
        "(SELECT original FROM receipts WHERE original IS NOT NULL ORDER BY n LIMIT ?)",
        (_ORIGINALS,),
    )
    return cursor.rowcount > 0


def _forget_loose(connection: sqlite3.Connection, oldest: float) -> None:
    """Remove what belongs to no conversation and has not been used for long."""
    connection.execute("DELETE FROM hidden WHERE seen < ?", (oldest,))
    connection.execute(
        "DELETE FROM asked WHERE time < ? AND NOT EXISTS (SELECT 1 FROM conversations "
        "WHERE conversations.tenant = asked.tenant AND conversations.id = asked.conversation)",
        (oldest,),
    )


def forget_orphans(connection: sqlite3.Connection) -> None:
    """Remove originals without a receipt; asks for every one of them, so it is not for every day."""
    connection.execute(
        "DELETE FROM originals WHERE NOT EXISTS (SELECT 1 FROM receipts WHERE receipts.original = originals.n)"
    )


def _shrink(connection: sqlite3.Connection) -> None:
    """Give empty pages back, if they are many."""
    [free] = connection.execute("PRAGMA freelist_count").fetchone()
    if free > _PAGES:
        connection.execute(f"PRAGMA incremental_vacuum({_PAGES})").fetchall()
