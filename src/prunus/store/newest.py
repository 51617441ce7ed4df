"""Quick reads for people who watch: the newest rows of all conversations, and single rows.

The row number of a table grows with each write, so "the newest" needs no sort of everything that is stored.
"""

from __future__ import annotations

from typing import Final

from prunus.store.reading import EXCHANGE, RECEIPT, exchange_of, receipts_of
from prunus.store.records import Exchange, StoredReceipt
from prunus.store.sql import SqlConnection

# With CROSS JOIN SQLite walks over the first table, in the order of its row numbers, and stops at the limit.
_FROM: Final = "FROM exchanges e CROSS JOIN conversations c"


def newest_exchanges(connection: SqlConnection, tenant: str, after: int, limit: int) -> tuple[int, list[Exchange]]:
    """Return the exchanges written behind a mark, newest first, and the mark to ask with next time."""
    rows = connection.execute(
        f"SELECT e.n, {EXCHANGE} {_FROM} WHERE c.n = e.conversation AND e.n > ? AND c.tenant = ? "
        "AND e.status > 0 ORDER BY e.n DESC LIMIT ?",
        (after, tenant, limit),
    ).fetchall()
    return max((row[0] for row in rows), default=after), [exchange_of(row[1:]) for row in rows]


def newest_receipts(
    connection: SqlConnection, tenant: str, strategy: str, limit: int, offset: int
) -> list[StoredReceipt]:
    """Return the receipts of all conversations, the newest first; of one strategy, or of all."""
    own, chosen = ("AND r.strategy = ?", (strategy,)) if strategy else ("", ())
    numbers = (
        "SELECT r.n FROM receipts r CROSS JOIN conversations c "
        f"WHERE c.n = r.conversation AND c.tenant = ? AND r.what != 'passed' {own} "
        "ORDER BY r.n DESC LIMIT ? OFFSET ?"
    )
    query = f"{RECEIPT} AND r.n IN ({numbers}) ORDER BY r.n DESC"
    return receipts_of(connection.execute(query, (tenant, tenant, *chosen, limit, offset)))


def receipt_at(
    connection: SqlConnection, tenant: str, conversation: str, message: int, part: int
) -> list[StoredReceipt]:
    """Return the receipt of one part; empty if there is none."""
    query = f"{RECEIPT} AND c.id = ? AND r.message = ? AND r.part = ?"
    return receipts_of(connection.execute(query, (tenant, conversation, message, part)))
