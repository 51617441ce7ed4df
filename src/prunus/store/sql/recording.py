"""Write exchanges: their numbers, the receipts of their edits with the originals, and the sums of all time.

Receipts are written before a request is sent. Everything else is written after its answer, so that no request waits
for it.

With `store.key`, texts that tell something of a conversation are encrypted: originals, reasons, errors, projects.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from prunus.outcome import Receipt
from prunus.store.cipher import ABOUT_KEY, Cipher
from prunus.store.records import Exchange, digest_of
from prunus.store.sql.cuts import ExchangeEntry, move_cuts, write_asks, write_cuts
from prunus.store.sql.database import SqlConnection
from prunus.store.sql.exchanges import COLUMNS, COUNTED, count_exchange, count_request, row_of
from prunus.store.sql.numbers import RowNumbers, ask_number
from prunus.store.sql.sums import Additions, adding

T = TypeVar("T")

PASSED: Final = "passed"
"""Marks a superseded part that stays because a note would be longer. Totals count it; lists omit it."""

_COUNT: Final = adding("strategies", ("tenant", "shadow", "strategy"), ("count", "tokens"))
_INSERT: Final = (
    f"INSERT INTO exchanges (conversation, {', '.join(COLUMNS)}) VALUES ({', '.join('?' * (1 + len(COLUMNS)))}) "
    f"ON CONFLICT (conversation, id) DO NOTHING RETURNING {COUNTED}"
)
_UPDATE: Final = (
    "UPDATE conversations SET client = ?, format = ?, model = ?, last = CASE WHEN last > ? THEN last ELSE ? END "
    "WHERE n = ? AND (client != ? OR format != ? OR model != ? OR last < ?)"
)
_OTHERS: Final = "SELECT 1 FROM exchanges WHERE conversation = ? AND id != ? AND shadow = ? LIMIT 1"
_KEEP_ORIGINAL: Final = (
    "INSERT INTO originals (tenant, hash, size, data) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (tenant, hash) DO UPDATE SET data = excluded.data "
    f"WHERE substr(originals.data, 1, {ABOUT_KEY}) != substr(excluded.data, 1, {ABOUT_KEY})"
)
"""Writes an original unless it is stored; one that is stored without a key, or with a former key, is replaced."""


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


def write_exchanges(
    exchanges: Sequence[tuple[str, Exchange, Sequence[Ready]]],
    numbers: RowNumbers,
    connection: SqlConnection,
    *,
    sent: bool,
) -> None:
    """Write exchanges of tenants and their receipts; the transaction should end then.

    Of requests that are not sent yet, it writes only the receipts and what the requests asked for again.
    """
    for entry, receipts in _entries(exchanges, numbers, connection):
        _write_receipts(entry, receipts)
        write_cuts(entry, [receipt for receipt, _ in receipts])
        write_asks(entry)
        if sent:
            _write_about(entry)
            _write_numbers(entry)
            _share_price(entry)


def write_experiences(
    exchanges: Sequence[tuple[str, Exchange, Sequence[Receipt]]],
    numbers: RowNumbers,
    connection: SqlConnection,
    *,
    sent: bool,
) -> None:
    """Count what exchanges cut and what they asked for again, and write nothing else of them.

    A request counts once it is over; its cuts are then those of a shadow run if the provider refused it.
    """
    for entry, receipts in _entries(exchanges, numbers, connection):
        write_cuts(entry, receipts)
        write_asks(entry)
        if sent:
            _write_about(entry)
            count_request(entry.sums, entry.tenant, entry.exchange)
            if entry.exchange.shadow:
                move_cuts(entry)


def _entries(
    exchanges: Sequence[tuple[str, Exchange, Sequence[T]]], numbers: RowNumbers, connection: SqlConnection
) -> Iterator[tuple[ExchangeEntry, Sequence[T]]]:
    """Yield an entry for each exchange, with its receipts; then write the sums of all of them.

    It inserts the conversations of the exchanges that are new.
    """
    sums = Additions()
    times = {(tenant, exchange.conversation): exchange.time for tenant, exchange, _ in reversed(exchanges)}
    asked = {place: ask_number(connection, numbers, place, time) for place, time in times.items()}
    known = {place: number() for place, number in asked.items()}
    for tenant, exchange, receipts in exchanges:
        yield ExchangeEntry(connection, sums, tenant, known[tenant, exchange.conversation], exchange), receipts
    sums.write(connection)


def _write_about(entry: ExchangeEntry) -> None:
    """Write client, format, model and time of a conversation, unless they are the same as before."""
    exchange = entry.exchange
    now = exchange.client, exchange.format, exchange.model
    entry.connection.execute(_UPDATE, (*now, exchange.time, exchange.time, entry.conversation, *now, exchange.time))


def _write_numbers(entry: ExchangeEntry) -> None:
    """Write the row of an exchange, and count it; if it has been written before, only its context is new."""
    connection, exchange = entry.connection, entry.exchange
    new = connection.ask(_INSERT, (entry.conversation, *row_of(exchange)))
    others = connection.ask(_OTHERS, (entry.conversation, exchange.id, exchange.shadow))

    def count() -> None:
        for added in new():
            count_exchange(entry.sums, entry.tenant, added, alone=not others())

    entry.sums.count_later(count)
    if exchange.shadow:
        _move_receipts(entry)
    if exchange.context is not None:
        connection.execute(
            "INSERT INTO contexts (conversation, request, numbers) VALUES (?, ?, ?) ON CONFLICT (conversation) "
            "DO UPDATE SET request = excluded.request, numbers = excluded.numbers "
            "WHERE excluded.request >= contexts.request",
            (entry.conversation, exchange.request, replace(exchange.context, shadow=exchange.shadow).dump()),
        )


def _move_receipts(entry: ExchangeEntry) -> None:
    """Mark the receipts of an exchange as shadow receipts.

    If the provider refused the pruned request, the proxy sent the original one, and nothing was cut.
    """
    exchange = entry.exchange
    with _recounted(entry, "request = ?", [exchange.request]):
        entry.connection.execute(
            "UPDATE receipts SET shadow = ? WHERE conversation = ? AND request = ?",
            (exchange.shadow, entry.conversation, exchange.request),
        )
    move_cuts(entry)


@contextmanager
def _recounted(entry: ExchangeEntry, chosen: str, values: Sequence[Any]) -> Iterator[None]:
    """Count the receipts that a condition chooses before and after the block, and add the difference to the sums.

    Several cuts of one strategy in one call are one prune.
    """
    query = (
        "SELECT shadow, strategy, count(DISTINCT item), sum(tokens_before - tokens_after) FROM receipts "
        f"WHERE conversation = ? AND {chosen} GROUP BY shadow, strategy"
    )

    def add(sign: int, rows: Sequence[Any]) -> None:
        for shadow, strategy, count, tokens in rows:
            entry.sums.add(_COUNT, (entry.tenant, shadow, strategy), (sign * count, sign * tokens))

    before = entry.connection.ask(query, (entry.conversation, *values))
    yield
    after = entry.connection.ask(query, (entry.conversation, *values))
    entry.sums.count_later(lambda: add(-1, before()))
    entry.sums.count_later(lambda: add(1, after()))


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


def _write_receipts(entry: ExchangeEntry, receipts: Sequence[Ready]) -> None:
    """Write receipts, and count them. No statement waits for another, whatever their number."""
    if not receipts:
        return
    # Receipts of the first stores name their own part as their item.
    parts = {part for receipt, _ in receipts for part in (receipt.item or receipt.edit.target, receipt.edit.target)}
    items = [f"{part.message}.{part.part}" for part in sorted(parts)]
    with _recounted(entry, f"item IN ({','.join('?' * len(items))})", items):
        for receipt, original in receipts:
            _write_receipt(entry, receipt, original)


def _write_receipt(entry: ExchangeEntry, receipt: Receipt, original: Original | None) -> None:
    """Write a receipt in place of an earlier one of the same part.

    The earlier one stays if it tells of a cut that was made, and the new one only of one that was not.
    """
    connection, exchange, edit = entry.connection, entry.exchange, receipt.edit
    place = entry.conversation, *edit.target
    replaced = f"shadow >= ? AND what = '{PASSED}'" if receipt.passed else "shadow >= ?"
    connection.execute(
        f"DELETE FROM receipts WHERE conversation = ? AND message = ? AND part = ? AND {replaced}",
        (*place, exchange.shadow),
    )
    if original is not None:
        connection.execute(_KEEP_ORIGINAL, (entry.tenant, original.hash, original.size, original.data))
    item = receipt.item or edit.target
    connection.execute(
        "INSERT INTO receipts (conversation, message, part, id, request, time, turn, tool, what, "
        "strategy, reason, tokens_before, tokens_after, price, shadow, original, item) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, "
        "(SELECT n FROM originals WHERE tenant = ? AND hash = ?), ?) ON CONFLICT DO NOTHING",
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
            edit.tokens_before if receipt.passed else edit.tokens_after,
            exchange.shadow,
            entry.tenant,
            original.hash if original is not None else None,
            f"{item.message}.{item.part}",
        ),
    )
