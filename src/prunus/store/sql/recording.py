"""Write exchanges: their numbers, the receipts of their edits with the originals, and the sums of all time.

With `store.key`, texts that tell something of a conversation are encrypted: originals, reasons, errors, projects.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from prunus.outcome import Receipt
from prunus.store.cipher import ABOUT_KEY, Cipher
from prunus.store.records import Exchange, digest_of
from prunus.store.sql.cuts import move_cuts, write_asks, write_cut
from prunus.store.sql.database import SqlConnection
from prunus.store.sql.exchanges import COLUMNS, count_exchange, count_request, exchange_of, row_of
from prunus.store.sql.memory import begin
from prunus.store.sql.sums import Additions, adding

PASSED: Final = "passed"
"""Marks a superseded part that stays because a note would be longer. Totals count it; lists omit it."""

_COUNT: Final = adding("strategies", ("tenant", "shadow", "strategy"), ("count", "tokens"))
_INSERT: Final = (
    f"INSERT INTO exchanges (conversation, {', '.join(COLUMNS)}) VALUES ({', '.join('?' * (1 + len(COLUMNS)))}) "
    "ON CONFLICT DO NOTHING"
)


@dataclass(frozen=True, slots=True)
class Original:
    """Content that an edit removed, compressed and encrypted for the database."""

    hash: bytes
    size: int
    data: bytes


Ready = tuple[Receipt, Original | None]
"""A receipt, and what the edit removed if that is kept."""


def encrypted_exchange(cipher: Cipher, tenant: str, exchange: Exchange) -> Exchange:
    """Return an exchange as it is stored."""
    return replace(
        exchange,
        error=cipher.encrypt_text(exchange.error, tenant, "error"),
        project=cipher.encrypt_text(exchange.project, tenant, "project"),
    )


def encrypted_receipt(cipher: Cipher, tenant: str, receipt: Receipt, *, keep_original: bool) -> Ready:
    """Return a receipt and its original as they are stored."""
    original = None
    if keep_original and not receipt.passed:
        raw, hash = receipt.original.encode("utf-8", "surrogatepass"), digest_of(receipt.original)
        data = cipher.encrypt(zlib.compress(raw, 1), tenant, "original", hash.hex())
        original = Original(hash, len(raw), data)
    reason = cipher.encrypt_text(receipt.edit.reason, tenant, "reason")
    return replace(receipt, edit=replace(receipt.edit, reason=reason)), original


def write_exchanges(exchanges: Sequence[tuple[str, Exchange, Sequence[Ready]]], connection: SqlConnection) -> None:
    """Write exchanges of tenants and their receipts; the transaction should end then."""
    sums = Additions()
    for tenant, exchange, receipts in exchanges:
        _write_exchange(connection, sums, tenant, exchange, receipts)
    sums.write(connection)


def write_experiences(
    exchanges: Sequence[tuple[str, Exchange, Sequence[Receipt]]], connection: SqlConnection
) -> None:
    """Count what exchanges cut and what they asked for again, and write nothing else of them.

    A request counts once it is over; its cuts are then those of a shadow run if the provider refused it.
    """
    sums = Additions()
    for tenant, exchange, receipts in exchanges:
        number = _conversation(connection, tenant, exchange)
        for receipt in receipts:
            write_cut(connection, sums, tenant, number, exchange, receipt)
        write_asks(connection, sums, tenant, number, exchange)
        if exchange.status:
            count_request(sums, tenant, exchange)
            move_cuts(connection, sums, tenant, number, exchange)
    sums.write(connection)


def _write_exchange(
    connection: SqlConnection, sums: Additions, tenant: str, exchange: Exchange, receipts: Sequence[Ready]
) -> None:
    number = _conversation(connection, tenant, exchange)
    place = number, exchange.id
    row = number, *row_of(exchange)
    if not connection.execute(_INSERT, row).rowcount:
        columns = ", ".join(COLUMNS)
        stored = connection.execute(
            f"SELECT {columns} FROM exchanges WHERE conversation = ? AND id = ?", place
        ).fetchone()
        before = exchange_of(exchange.conversation, stored)
        alone = _is_only_exchange(connection, place, before.shadow)
        count_exchange(sums, tenant, before, -1, alone=alone)
        # The new row gets a new number, so that it is among the newest exchanges.
        connection.execute("DELETE FROM exchanges WHERE conversation = ? AND id = ?", place)
        connection.execute(_INSERT, row)
        if before.shadow != exchange.shadow:
            _move_receipts(connection, sums, tenant, number, exchange)
    alone = _is_only_exchange(connection, place, exchange.shadow)
    count_exchange(sums, tenant, exchange, 1, alone=alone)
    for receipt, original in receipts:
        _write_receipt(connection, sums, tenant, number, exchange, receipt, original)
        write_cut(connection, sums, tenant, number, exchange, receipt)
    write_asks(connection, sums, tenant, number, exchange)
    _share_price(connection, number, exchange)
    if exchange.context is not None:
        connection.execute(
            "INSERT INTO contexts (conversation, request, numbers) VALUES (?, ?, ?) ON CONFLICT (conversation) "
            "DO UPDATE SET request = excluded.request, numbers = excluded.numbers "
            "WHERE excluded.request >= contexts.request",
            (number, exchange.request, replace(exchange.context, shadow=exchange.shadow).dump()),
        )


def _conversation(connection: SqlConnection, tenant: str, exchange: Exchange) -> int:
    """Return the row number of the conversation, after updating its client, format, model and time."""
    row = connection.execute(
        "SELECT n, client, format, model, last FROM conversations WHERE tenant = ? AND id = ?",
        (tenant, exchange.conversation),
    ).fetchone()
    if row is None:
        row = begin(connection, tenant, exchange.conversation, exchange.time), "", "", "", exchange.time
    number, *known, last = row
    now = [exchange.client, exchange.format, exchange.model]
    if known != now or last < exchange.time:
        connection.execute(
            "UPDATE conversations SET client = ?, format = ?, model = ?, last = ? WHERE n = ?",
            (*now, max(exchange.time, last), number),
        )
    return int(number)


def _is_only_exchange(connection: SqlConnection, place: tuple[int, str], shadow: bool) -> bool:
    """Return whether an exchange is the only one of its conversation with this value of `shadow`."""
    others = "SELECT 1 FROM exchanges WHERE conversation = ? AND id != ? AND shadow = ? LIMIT 1"
    return connection.execute(others, (*place, shadow)).fetchone() is None


def _move_receipts(
    connection: SqlConnection, sums: Additions, tenant: str, number: int, exchange: Exchange
) -> None:
    """Mark the receipts of an exchange as shadow receipts.

    The provider refused the pruned request, so the proxy sent the original one, and nothing was cut.
    """
    place = number, exchange.request, not exchange.shadow
    chosen = "FROM receipts WHERE conversation = ? AND request = ? AND shadow = ?"
    tallies = f"SELECT strategy, count(DISTINCT item), sum(tokens_before - tokens_after) {chosen} GROUP BY strategy"
    for strategy, count, tokens in connection.execute(tallies, place).fetchall():
        sums.add(_COUNT, (tenant, not exchange.shadow, strategy), (-count, -tokens))
        sums.add(_COUNT, (tenant, exchange.shadow, strategy), (count, tokens))
    move_cuts(connection, sums, tenant, number, exchange)
    connection.execute(
        "UPDATE receipts SET shadow = ? WHERE conversation = ? AND request = ? AND shadow = ?",
        (exchange.shadow, *place),
    )


def _share_price(connection: SqlConnection, number: int, exchange: Exchange) -> None:
    """Divide the cost of a cache break among the edits that caused it: those behind its cut."""
    if exchange.flush is None:
        return
    behind = "conversation = ? AND message >= ? AND request = ? AND tokens_before > tokens_after"
    place = number, exchange.flush.cut, exchange.request
    connection.execute(
        f"UPDATE receipts SET price = ? * (tokens_before - tokens_after) / "
        f"(SELECT sum(tokens_before - tokens_after) FROM receipts WHERE {behind}) WHERE {behind}",
        (exchange.cost_of_break, *place, *place),
    )


def _write_receipt(
    connection: SqlConnection,
    sums: Additions,
    tenant: str,
    number: int,
    exchange: Exchange,
    receipt: Receipt,
    original: Original | None,
) -> None:
    edit = receipt.edit
    place = number, edit.target.message, edit.target.part
    held = connection.execute(
        "SELECT strategy, tokens_before - tokens_after, shadow, item, what FROM receipts "
        "WHERE conversation = ? AND message = ? AND part = ?",
        place,
    ).fetchone()
    if held is not None:
        strategy, tokens, shadow, item, what = held
        if (exchange.shadow and not shadow) or (receipt.passed and what != PASSED):
            return
        connection.execute("DELETE FROM receipts WHERE conversation = ? AND message = ? AND part = ?", place)
        alone = _is_only_receipt(connection, number, shadow, strategy, item)
        sums.add(_COUNT, (tenant, shadow, strategy), (-alone, -tokens))
    whole = receipt.item or edit.target
    item = f"{whole.message}.{whole.part}"
    alone = _is_only_receipt(connection, number, exchange.shadow, edit.counted_as, item)
    after = edit.tokens_before if receipt.passed else edit.tokens_after
    sums.add(_COUNT, (tenant, exchange.shadow, edit.counted_as), (alone, edit.tokens_before - after))
    connection.execute(
        "INSERT INTO receipts (conversation, message, part, id, request, time, turn, tool, what, "
        "strategy, reason, tokens_before, tokens_after, price, shadow, original, item) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
        (
            *place,
            receipt.id,
            exchange.request,
            exchange.time,
            receipt.turn,
            receipt.tool,
            PASSED if receipt.passed else type(edit.replacement).__name__.lower(),
            edit.counted_as,
            edit.reason,
            edit.tokens_before,
            after,
            exchange.shadow,
            _write_original(connection, tenant, original) if original is not None else None,
            item,
        ),
    )


def _is_only_receipt(connection: SqlConnection, number: int, shadow: bool, strategy: str, item: str) -> bool:
    """Return whether the item has no other receipt of this strategy: several cuts in one call are one prune."""
    others = "SELECT 1 FROM receipts WHERE conversation = ? AND item = ? AND strategy = ? AND shadow = ? LIMIT 1"
    return connection.execute(others, (number, item, strategy, shadow)).fetchone() is None


def _write_original(connection: SqlConnection, tenant: str, original: Original) -> int:
    """Return the row number of an original, and write it unless it exists."""
    row = connection.execute(
        "SELECT n, substr(data, 1, ?) FROM originals WHERE tenant = ? AND hash = ?",
        (ABOUT_KEY, tenant, original.hash),
    ).fetchone()
    if row is not None:
        if row[1] != original.data[:ABOUT_KEY]:
            # It is stored without a key, or with one that is no longer the first.
            connection.execute("UPDATE originals SET data = ? WHERE n = ?", (original.data, row[0]))
        return int(row[0])
    [[number]] = connection.execute(
        "INSERT INTO originals (tenant, hash, size, data) VALUES (?, ?, ?, ?) RETURNING n",
        (tenant, original.hash, original.size, original.data),
    ).fetchall()
    return int(number)
