"""Keep the store within its limits by removing the oldest conversations and the originals that only they need.

The removal runs in short rounds with one transaction each, so that no request waits long. On a server each of them
runs alone, so none begins without something to remove.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Final

from prunus.store.sql.database import SqlConnection, SqlDatabase

_ROUND: Final = 4
"""The number of conversations removed per transaction."""
_ORIGINALS: Final = 64
"""The number of originals removed per transaction."""
_SLACK: Final = 0.9
"""The removal goes on until the store is this full, so that it is not full again at once."""
_DAY: Final = 86_400.0
_OLD: Final = "SELECT 1 FROM conversations WHERE last < ?"
_HIDDEN: Final = "FROM hidden WHERE seen < ?"
"""Old hidden exchanges."""
_COMMANDS: Final = (
    "FROM asked WHERE time < ? AND NOT EXISTS (SELECT 1 FROM conversations "
    "WHERE conversations.tenant = asked.tenant AND conversations.id = asked.conversation)"
)
"""Old commands without a conversation."""


def tidy(database: SqlDatabase, *, size: int, days: int, now: float, seconds: float | None = 0.05) -> bool:
    """Remove conversations beyond the limits; return False if `seconds` passed before the work was done."""
    until = None if seconds is None else time.monotonic() + seconds
    oldest = now - days * _DAY
    used = database.used()
    full = used > size
    while True:
        over = full and used > size * _SLACK
        if not over and not database.read(partial(_any, _OLD, (oldest,))):
            break
        removed = database.write(partial(_remove_some, oldest=oldest, over=over))
        if removed is None:
            break
        used = database.used(removed)
        if until is not None and time.monotonic() > until:
            return False
    if database.read(partial(_any, f"SELECT 1 {_HIDDEN} UNION ALL SELECT 1 {_COMMANDS}", (oldest, oldest))):
        database.write(partial(_remove_unowned, oldest))
    database.shrink()
    return True


def _remove_unowned(oldest: float, connection: SqlConnection) -> None:
    """Remove old hidden exchanges, and old commands without a conversation."""
    connection.execute(f"DELETE {_HIDDEN}", (oldest,))
    connection.execute(f"DELETE {_COMMANDS}", (oldest,))


def _any(query: str, values: Sequence[float], connection: SqlConnection) -> bool:
    return connection.execute(f"{query} LIMIT 1", values).fetchone() is not None


def _remove_some(connection: SqlConnection, oldest: float, over: bool) -> int | None:
    """Remove a few conversations; return the bytes of their contents, or None if nothing is left to remove."""
    rows = connection.execute(
        "SELECT n, tenant, id, last FROM conversations ORDER BY last LIMIT ?", (_ROUND + 1,)
    ).fetchall()
    gone = [row for row in rows[:_ROUND] if row[3] < oldest]
    if over and not gone:
        # Keep the newest conversation, because it is in use.
        gone = rows[:_ROUND] if len(rows) > _ROUND else rows[:-1]
    if gone:
        size = sum(_size(connection, number) for number, *_ in gone)
        _remove(connection, gone)
        connection.execute("DELETE FROM hidden WHERE seen < ?", (max(last for *_, last in gone),))
        return size
    return _remove_originals(connection) if over else None


def _size(connection: SqlConnection, number: int) -> int:
    """Return the bytes of the contents of a conversation."""
    parts = (
        "(SELECT coalesce(sum(length(edit)), 0) FROM edits WHERE conversation = ?)",
        "(SELECT coalesce(sum(length(text)), 0) FROM written WHERE conversation = ?)",
        "(SELECT coalesce(sum(length(data)), 0) FROM originals WHERE n IN "
        "(SELECT original FROM receipts WHERE conversation = ?))",
    )
    [size] = connection.execute(f"SELECT {' + '.join(parts)}", (number,) * len(parts)).fetchone()
    return int(size)


def _remove(connection: SqlConnection, gone: list[tuple[int, str, str, float]]) -> None:
    for number, tenant, id, _ in gone:
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


def forget(database: SqlDatabase, tenant: str, conversations: Sequence[str]) -> int:
    """Remove conversations of a tenant, and return how many there were."""

    def remove(some: Sequence[str], connection: SqlConnection) -> int:
        marks = ",".join("?" * len(some))
        rows = connection.execute(
            f"SELECT n, tenant, id, last FROM conversations WHERE tenant = ? AND id IN ({marks})", (tenant, *some)
        ).fetchall()
        _remove(connection, rows)
        return len(rows)

    rounds = (conversations[at : at + _ROUND] for at in range(0, len(conversations), _ROUND))
    return sum(database.write(partial(remove, some)) for some in rounds)


def _remove_originals(connection: SqlConnection) -> int | None:
    """Remove the oldest originals of the only conversation, and keep its receipts; see `_remove_some`."""
    oldest = "SELECT original FROM receipts WHERE original IS NOT NULL ORDER BY n LIMIT ?"
    [size] = connection.execute(
        f"SELECT sum(length(data)) FROM originals WHERE n IN ({oldest})", (_ORIGINALS,)
    ).fetchone()
    connection.execute(f"DELETE FROM originals WHERE n IN ({oldest})", (_ORIGINALS,))
    return None if size is None else int(size)


def forget_originals(database: SqlDatabase, before: float = -inf) -> None:
    """Remove the originals whose receipts are all older than a time, and keep the receipts.

    Without a time, remove originals without a receipt: a later cut of the same part has replaced theirs. Both read
    every original, so that they are for quiet moments.
    """
    unused = "NOT EXISTS (SELECT 1 FROM receipts WHERE receipts.original = originals.n AND receipts.time >= ?)"
    rows = database.report(
        lambda connection: connection.execute(f"SELECT n FROM originals WHERE {unused}", (before,)).fetchall()
    )

    def remove(some: Sequence[tuple[int]], connection: SqlConnection) -> None:
        values = [(number, before) for [number] in some]
        connection.executemany(f"DELETE FROM originals WHERE n = ? AND {unused}", values)

    for at in range(0, len(rows), _ORIGINALS):
        database.write(partial(remove, rows[at : at + _ORIGINALS]))
