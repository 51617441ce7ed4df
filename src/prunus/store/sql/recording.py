"""Write exchanges: their numbers, the receipts of their edits with the originals, and the sums of all time.

With `store.key`, texts that tell something of a conversation are encrypted: originals, reasons, errors, projects.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from prunus.outcome import Receipt
from prunus.store.cipher import ABOUT_KEY, Cipher
from prunus.store.records import Exchange, digest_of
from prunus.store.sql.cuts import ExchangeEntry, move_cuts, write_asks, write_cut
from prunus.store.sql.database import SqlConnection
from prunus.store.sql.exchanges import COLUMNS, COUNTED, count_exchange, count_request, row_of
from prunus.store.sql.memory import begin
from prunus.store.sql.sums import Additions, adding

PASSED: Final = "passed"
"""Marks a superseded part that stays because a note would be longer. Totals count it; lists omit it."""

_COUNT: Final = adding("strategies", ("tenant", "shadow", "strategy"), ("count", "tokens"))
_INSERT: Final = (
    f"INSERT INTO exchanges (conversation, {', '.join(COLUMNS)}) VALUES ({', '.join('?' * (1 + len(COLUMNS)))}) "
    f"ON CONFLICT DO NOTHING RETURNING {COUNTED}"
)
_REMOVE: Final = f"DELETE FROM exchanges WHERE conversation = ? AND id = ? RETURNING {COUNTED}"


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
        entry = ExchangeEntry(connection, sums, tenant, _conversation(connection, tenant, exchange), exchange)
        _write_numbers(entry)
        for receipt, original in receipts:
            _write_receipt(entry, receipt, original)
            write_cut(entry, receipt)
        write_asks(entry)
        _share_price(entry)
    sums.write(connection)


def write_experiences(
    exchanges: Sequence[tuple[str, Exchange, Sequence[Receipt]]], connection: SqlConnection
) -> None:
    """Count what exchanges cut and what they asked for again, and write nothing else of them.

    A request counts once it is over; its cuts are then those of a shadow run if the provider refused it.
    """
    sums = Additions()
    for tenant, exchange, receipts in exchanges:
        entry = ExchangeEntry(connection, sums, tenant, _conversation(connection, tenant, exchange), exchange)
        for receipt in receipts:
            write_cut(entry, receipt)
        write_asks(entry)
        if exchange.status:
            count_request(sums, tenant, exchange)
            move_cuts(entry)
    sums.write(connection)


def _write_numbers(entry: ExchangeEntry) -> None:
    """Write the row of an exchange, and count it; a row with the same id is replaced."""
    connection, exchange = entry.connection, entry.exchange
    row = entry.conversation, *row_of(exchange)
    added, changes_kind = connection.execute(_INSERT, row).fetchall(), True
    if not added:
        [removed] = connection.execute(_REMOVE, (entry.conversation, exchange.id)).fetchall()
        changes_kind = removed[0] != exchange.shadow
        _count(entry, removed, -1, may_be_alone=changes_kind)
        # The new row gets a new number, so that it is among the newest exchanges.
        added = connection.execute(_INSERT, row).fetchall()
        if changes_kind:
            _move_receipts(entry)
    _count(entry, added[0], 1, may_be_alone=changes_kind)
    if exchange.context is not None:
        connection.execute(
            "INSERT INTO contexts (conversation, request, numbers) VALUES (?, ?, ?) ON CONFLICT (conversation) "
            "DO UPDATE SET request = excluded.request, numbers = excluded.numbers "
            "WHERE excluded.request >= contexts.request",
            (entry.conversation, exchange.request, replace(exchange.context, shadow=exchange.shadow).dump()),
        )


def _count(entry: ExchangeEntry, counted: Sequence[Any], sign: int, *, may_be_alone: bool) -> None:
    """Count an exchange, and its conversation if that has no other exchange with the same value of `shadow`.

    An exchange that replaces one of its kind cannot change the number of conversations, so nobody has to look.
    """
    others = "SELECT 1 FROM exchanges WHERE conversation = ? AND id != ? AND shadow = ? LIMIT 1"
    place = entry.conversation, entry.exchange.id, counted[0]
    alone = may_be_alone and entry.connection.execute(others, place).fetchone() is None
    count_exchange(entry.sums, entry.tenant, counted, sign, alone=alone)


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


def _move_receipts(entry: ExchangeEntry) -> None:
    """Mark the receipts of an exchange as shadow receipts.

    The provider refused the pruned request, so the proxy sent the original one, and nothing was cut.
    """
    shadow = entry.exchange.shadow
    place = entry.conversation, entry.exchange.request, not shadow
    chosen = "WHERE conversation = ? AND request = ? AND shadow = ?"
    tallies = entry.connection.execute(
        "SELECT strategy, count(DISTINCT item), sum(tokens_before - tokens_after) "
        f"FROM receipts {chosen} GROUP BY strategy",
        place,
    ).fetchall()
    for strategy, count, tokens in tallies:
        entry.sums.add(_COUNT, (entry.tenant, not shadow, strategy), (-count, -tokens))
        entry.sums.add(_COUNT, (entry.tenant, shadow, strategy), (count, tokens))
    move_cuts(entry)
    entry.connection.execute(f"UPDATE receipts SET shadow = ? {chosen}", (shadow, *place))


def _share_price(entry: ExchangeEntry) -> None:
    """Divide the cost of a cache break among the edits that caused it: those behind its cut."""
    exchange = entry.exchange
    if exchange.flush is None:
        return
    behind = "conversation = ? AND message >= ? AND request = ? AND tokens_before > tokens_after"
    place = entry.conversation, exchange.flush.cut, exchange.request
    entry.connection.execute(
        f"UPDATE receipts SET price = ? * (tokens_before - tokens_after) / "
        f"(SELECT sum(tokens_before - tokens_after) FROM receipts WHERE {behind}) WHERE {behind}",
        (exchange.cost_of_break, *place, *place),
    )


def _write_receipt(entry: ExchangeEntry, receipt: Receipt, original: Original | None) -> None:
    connection, exchange, edit = entry.connection, entry.exchange, receipt.edit
    place = entry.conversation, *edit.target
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
        alone = _is_only_receipt(entry, shadow, strategy, item)
        entry.sums.add(_COUNT, (entry.tenant, shadow, strategy), (-alone, -tokens))
    whole = receipt.item or edit.target
    item = f"{whole.message}.{whole.part}"
    alone = _is_only_receipt(entry, exchange.shadow, edit.counted_as, item)
    after = edit.tokens_before if receipt.passed else edit.tokens_after
    entry.sums.add(_COUNT, (entry.tenant, exchange.shadow, edit.counted_as), (alone, edit.tokens_before - after))
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
            _write_original(connection, entry.tenant, original) if original is not None else None,
            item,
        ),
    )


def _is_only_receipt(entry: ExchangeEntry, shadow: bool, strategy: str, item: str) -> bool:
    """Return whether the item has no other receipt of this strategy: several cuts in one call are one prune."""
    others = "SELECT 1 FROM receipts WHERE conversation = ? AND item = ? AND strategy = ? AND shadow = ? LIMIT 1"
    return entry.connection.execute(others, (entry.conversation, item, strategy, shadow)).fetchone() is None


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
