"""The queries behind the read methods of the SQLite store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from prunus.conversations.context import Context
from prunus.reuse.experience import Experience
from prunus.schedule.ledger import Ledger
from prunus.store.records import (
    DIGEST_SIZE,
    SHORTEST_DIGEST,
    Exchange,
    Info,
    KnownConversation,
    StoredReceipt,
    StoredSession,
    Totals,
    Usage,
)
from prunus.store.regrets import asks_of, experience_of, experiences
from prunus.store.sql import NO_LIMIT, DiskSpace, SqlConnection
from prunus.tally import Tally

RECEIPT: Final = """
    SELECT r.id, c.id, r.request, r.time, r.message, r.part, r.turn, r.tool, r.what, r.strategy, r.reason,
           r.tokens_before, r.tokens_after, r.price, o.hash, r.shadow,
           coalesce((SELECT max(x.asked) FROM cuts x
                   WHERE x.conversation = r.conversation AND x.message = r.message AND x.part = r.part), 0)
    FROM receipts r JOIN conversations c ON c.n = r.conversation LEFT JOIN originals o ON o.n = r.original
    WHERE c.tenant = ? AND r.what != 'passed' """
EXCHANGE: Final = (
    "c.id, e.request, e.time, e.client, e.format, e.model, e.tokens_before, e.tokens_after, "
    "e.input, e.cache_read, e.cache_write, e.output, e.cost, e.cost_unpruned, e.cost_of_break, e.flush, "
    "e.status, e.ms, e.error, e.shadow, e.behind, e.keep_alive, e.id, e.project, e.missed, e.missed_for"
)
_NEWEST: Final = " ORDER BY r.time DESC, r.message, r.part LIMIT ?"
_SUMS: Final = """
    sum(1 - e.keep_alive), count(*) FILTER (WHERE e.error != ''), sum(e.tokens_before), sum(e.tokens_after),
    sum(e.input), sum(e.cache_read), sum(e.cache_write), sum(e.output), sum(e.cost), sum(e.cost_unpruned),
    sum(e.cost_of_break), count(*) FILTER (WHERE e.flush IS NOT NULL), sum(e.behind),
    sum(e.keep_alive), sum(e.keep_alive * e.cost), count(DISTINCT c.n)"""
_TENANTS: Final = (
    "SELECT tenant FROM totals UNION SELECT tenant FROM conversations UNION SELECT tenant FROM agents ORDER BY 1"
)


def sessions(
    connection: SqlConnection, tenant: str, limit: int | None, offset: int = 0, id: str = "", words: str = ""
) -> list[StoredSession]:
    """Return the conversations of a tenant, newest first; the one with this id, or those that `words` fit."""
    # The inner query chooses the conversations, so that the sums are made for these only. The `|| ''` keeps the
    # database from looking for the tenant first: it walks over the conversations by age, and stops at the limit.
    own, chosen = ("tenant = ? AND id = ?", (id,)) if id else ("tenant || '' = ?", ())
    if words:
        # Each dialect has its own function to find a text in another one. Both have `replace`.
        about = "lower(id || ' ' || client || ' ' || model)"
        own, chosen = f"{own} AND replace({about}, ?, '') != {about}", (*chosen, words.lower())
    rows = connection.execute(
        f"""
        SELECT c.id, c.client, c.format, c.model, c.first, c.last,
               c.requests, (SELECT count(*) FROM exchanges e WHERE e.conversation = c.n AND e.keep_alive = 0),
               c.depth,
               coalesce(newest.tokens_before, 0), coalesce(newest.tokens_after, 0),
               (SELECT coalesce(sum(cost), 0.0) FROM exchanges e
                WHERE e.conversation = c.n AND e.shadow = newest.shadow),
               (SELECT coalesce(sum(cost_unpruned), 0.0) FROM exchanges e
                WHERE e.conversation = c.n AND e.shadow = newest.shadow),
               (SELECT count(*) FROM receipts r WHERE r.conversation = c.n
                AND r.what != 'passed' AND r.shadow = coalesce(newest.shadow, 0)),
               coalesce(newest.shadow, 0)
        FROM conversations c LEFT JOIN exchanges newest
            ON newest.n = (SELECT max(e.n) FROM exchanges e WHERE e.conversation = c.n AND e.tokens_before > 0)
        WHERE c.n IN (SELECT n FROM conversations WHERE {own} ORDER BY last DESC, n DESC LIMIT ? OFFSET ?)
        ORDER BY c.last DESC, c.n DESC
        """,
        (tenant, *chosen, NO_LIMIT if limit is None else limit, offset),
    )
    return [_session_of(row) for row in rows]


def _session_of(row: tuple[Any, ...]) -> StoredSession:
    *about, kept, counted, depth, before, after, cost, unpruned, cut, shadow = row
    values: tuple[Any, ...] = (*about, max(kept, counted), depth, before, after, cost, unpruned, cut, bool(shadow))
    return StoredSession(*values)


def conversations(
    connection: SqlConnection, tenant: str, id: str, before: float | None, limit: int | None
) -> list[KnownConversation]:
    """Return the conversations whose id starts with `id`, newest first; with `before`, those that are older."""
    old, last = ("AND last < ?", (before,)) if before is not None else ("", ())
    rows = connection.execute(
        f"SELECT id, last FROM conversations WHERE tenant = ? AND substr(id, 1, ?) = ? {old} "
        "ORDER BY last DESC, n DESC LIMIT ?",
        (tenant, len(id), id, *last, NO_LIMIT if limit is None else limit),
    )
    return [KnownConversation(*row) for row in rows]


def exchanges(connection: SqlConnection, tenant: str, conversation: str) -> list[Exchange]:
    """Return the exchanges of one conversation, oldest first."""
    rows = connection.execute(
        f"""
        SELECT {EXCHANGE} FROM exchanges e JOIN conversations c ON c.n = e.conversation
        WHERE c.tenant = ? AND c.id = ? ORDER BY e.time, e.request
        """,
        (tenant, conversation),
    )
    asks = asks_of(connection, tenant, conversation)
    found = map(exchange_of, rows)
    return [replace(one, asks=asks[one.request]) if one.request in asks else one for one in found]


def receipts(connection: SqlConnection, tenant: str, conversation: str, limit: int | None) -> list[StoredReceipt]:
    """Return the receipts of one conversation or of all, newest request first."""
    most = NO_LIMIT if limit is None else limit
    if conversation:
        rows = connection.execute(f"{RECEIPT} AND c.id = ? {_NEWEST}", (tenant, conversation, most))
    else:
        rows = connection.execute(f"{RECEIPT} {_NEWEST}", (tenant, most))
    return receipts_of(rows)


def find(connection: SqlConnection, tenant: str, id: str) -> list[StoredReceipt]:
    """Return the receipts whose id starts with `id`."""
    # LIKE would not use the index, so this is a range. Ids are hex digits, so "g" sorts after all of them.
    return receipts_of(
        connection.execute(f"{RECEIPT} AND r.id >= ? AND r.id < ? {_NEWEST}", (tenant, id, f"{id}g", NO_LIMIT))
    )


def original(connection: SqlConnection, tenant: str, digest: str) -> tuple[bytes, bytes] | None:
    """Return the whole hash and the stored form of the original with this hash, or whose hash begins so."""
    try:
        first = bytes.fromhex(digest)
    except ValueError:
        return None
    if not SHORTEST_DIGEST <= len(first) <= DIGEST_SIZE:
        return None
    last = first.ljust(DIGEST_SIZE, b"\xff")
    row = connection.execute(
        "SELECT hash, data FROM originals WHERE tenant = ? AND hash BETWEEN ? AND ?", (tenant, first, last)
    ).fetchone()
    return None if row is None else (row[0], row[1])


def contexts(connection: SqlConnection, tenant: str, conversation: str) -> list[Context]:
    """Return the token counts of the newest request of one conversation, or of each conversation."""
    own = "AND c.id = ?" if conversation else ""
    rows = connection.execute(
        f"SELECT x.numbers FROM contexts x JOIN conversations c ON c.n = x.conversation WHERE c.tenant = ? {own} "
        "ORDER BY c.n",
        (tenant, conversation) if conversation else (tenant,),
    )
    return [Context.load(numbers) for [numbers] in rows]


def totals(connection: SqlConnection, tenant: str, conversation: str, shadow: bool) -> Totals:
    """Return the sums of one conversation, or the sums of all time."""
    if conversation:
        row = connection.execute(
            f"SELECT {_SUMS} FROM exchanges e JOIN conversations c ON c.n = e.conversation "
            "WHERE c.tenant = ? AND c.id = ? AND e.shadow = ?",
            (tenant, conversation, shadow),
        ).fetchone()
        tallies = connection.execute(
            "SELECT r.strategy, count(DISTINCT r.item), sum(r.tokens_before - r.tokens_after) "
            "FROM receipts r JOIN conversations c ON c.n = r.conversation "
            "WHERE c.tenant = ? AND c.id = ? AND r.shadow = ? GROUP BY r.strategy",
            (tenant, conversation, shadow),
        ).fetchall()
    else:
        row = connection.execute(
            "SELECT requests, errors, tokens_before, tokens_after, input, cache_read, cache_write, output, cost, "
            "cost_unpruned, cost_of_breaks, breaks, behind, keep_alives, cost_of_keep_alives, conversations "
            "FROM totals WHERE tenant = ? AND shadow = ?",
            (tenant, shadow),
        ).fetchone()
        tallies = connection.execute(
            "SELECT strategy, count, tokens FROM strategies WHERE tenant = ? AND shadow = ? AND count > 0",
            (tenant, shadow),
        ).fetchall()
    numbers = [value or 0 for value in row] if row is not None else [0] * 16
    if conversation:
        experience = experience_of(connection, tenant, conversation, shadow, numbers[0])
    else:
        experience = sum(experiences(connection, tenant, shadow).values(), Experience())
    return replace(
        Totals(*numbers[:4]),
        usage=Usage(*numbers[4:8]),
        cost=float(numbers[8]),
        cost_unpruned=float(numbers[9]),
        cost_of_breaks=float(numbers[10]),
        breaks=numbers[11],
        behind=numbers[12],
        strategies={strategy: Tally(count, tokens) for strategy, count, tokens in tallies},
        keep_alives=numbers[13],
        cost_of_keep_alives=float(numbers[14]),
        conversations=numbers[15],
        experience=experience,
    )


def info(connection: SqlConnection, space: DiskSpace, limit: int, days: int) -> Info:
    """Return the size of the store and the number of entries of each kind."""

    def one(statement: str) -> Any:
        return connection.execute(statement).fetchone()[0]

    return Info(
        space.url,
        space.version,
        space.size,
        space.free,
        limit,
        days,
        tuple(tenant for [tenant] in connection.execute(_TENANTS)),
        one("SELECT count(*) FROM conversations"),
        one("SELECT count(*) FROM exchanges"),
        one("SELECT count(*) FROM receipts WHERE what != 'passed'"),
        one("SELECT count(*) FROM originals"),
        one("SELECT coalesce(sum(length(data)), 0) FROM originals"),
        one("SELECT coalesce(sum(size), 0) FROM originals"),
        one("SELECT count(*) FROM hidden"),
        one("SELECT coalesce(min(first), 0.0) FROM conversations"),
        one("SELECT coalesce(max(last), 0.0) FROM conversations"),
    )


def receipts_of(rows: Iterable[tuple[Any, ...]]) -> list[StoredReceipt]:
    """Return the receipts of rows that `RECEIPT` selects."""
    return [_receipt_of(row) for row in rows]


def _receipt_of(row: tuple[Any, ...]) -> StoredReceipt:
    *about, hash, shadow, asked = row
    values: tuple[Any, ...] = (*about, "" if hash is None else hash.hex(), bool(shadow), asked)
    return StoredReceipt(*values)


def exchange_of(row: tuple[Any, ...]) -> Exchange:
    """Return the exchange of a row with the columns of `EXCHANGE`; its asks are not in it."""
    status, ms, error, shadow, behind, keep_alive, id, project, missed, missed_for = row[16:]
    return replace(
        Exchange(*row[:8]),
        usage=None if row[8] is None else Usage(*row[8:12]),
        cost=row[12],
        cost_unpruned=row[13],
        cost_of_break=row[14],
        flush=None if row[15] is None else Ledger.load(row[15]).flushes[0],
        status=status,
        ms=ms,
        error=error,
        shadow=bool(shadow),
        behind=bool(behind),
        keep_alive=bool(keep_alive),
        project=project,
        missed=missed,
        missed_for=missed_for,
        id=id,
    )
