"""Write exchanges: their numbers, the receipts of their edits with the originals, and the sums of all time.

Receipts are written before a request is sent. Everything else is written after its answer, so that no request waits
for it.

With `store.key`, texts that tell something of a conversation are encrypted: originals, reasons, errors, projects.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from prunus.outcome import Receipt
from prunus.store.cipher import ABOUT_KEY, Cipher
from prunus.store.records import Exchange, digest_of
from prunus.store.sql.cuts import ExchangeEntry, write_asks, write_cuts
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
    "WHERE n = ? AND (client != ? OR format != ? OR model != ? OR last < ?) "
    "AND (format = '' OR last <= ?)"
)
"""Writes what an exchange says of its conversation, unless a newer request was recorded before."""
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


def write_receipts(
    tenant: str, exchange: Exchange, receipts: Sequence[Ready], numbers: RowNumbers, connection: SqlConnection
) -> Additions:
    """Write the receipts of a request that is not sent yet; the transaction should end then.

    The returned additions are to be counted after the commit, and written together with the exchange. So a request
    waits for no row that others add to, and for no answer of the server before its commit.
    """
    sums = Additions()
    number = ask_number(connection, numbers, (tenant, exchange.conversation), exchange.time)()
    _write_receipts(ExchangeEntry(connection, sums, tenant, number, exchange), receipts)
    return sums


def write_exchanges(
    exchanges: Sequence[tuple[str, Exchange, Sequence[Ready]]],
    uncounted: Iterable[Additions],
    numbers: RowNumbers,
    connection: SqlConnection,
) -> None:
    """Write exchanges of tenants and their receipts; the transaction should end then.

    `uncounted` are the additions of receipts that were written before.
    """
    sums = Additions()
    for one in uncounted:
        sums.take(one)
    for entry, receipts in _entries(exchanges, sums, numbers, connection):
        _write_numbers(entry)
        _write_receipts(entry, receipts)
        write_cuts(entry)
        write_asks(entry)
        _share_price(entry)
    sums.write(connection)


def write_experiences(
    exchanges: Sequence[tuple[str, Exchange]], numbers: RowNumbers, connection: SqlConnection
) -> None:
    """Count what exchanges cut and what they asked for again, and write nothing else of them."""
    sums = Additions()
    bare = [(tenant, exchange, ()) for tenant, exchange in exchanges]
    for entry, _ in _entries(bare, sums, numbers, connection):
        write_cuts(entry)
        write_asks(entry)
        count_request(entry.sums, entry.tenant, entry.exchange)
    sums.write(connection)


def _entries(
    exchanges: Sequence[tuple[str, Exchange, Sequence[T]]],
    sums: Additions,
    numbers: RowNumbers,
    connection: SqlConnection,
) -> Iterator[tuple[ExchangeEntry, Sequence[T]]]:
    """Yield an entry for each exchange, with its receipts.

    It inserts the conversations of the exchanges, or updates their client, format, model and time.
    """
    times = {(tenant, exchange.conversation): exchange.time for tenant, exchange, _ in reversed(exchanges)}
    asked = {place: ask_number(connection, numbers, place, time) for place, time in times.items()}
    known = {place: number() for place, number in asked.items()}
    for tenant, exchange, receipts in exchanges:
        number = known[tenant, exchange.conversation]
        now = exchange.client, exchange.format, exchange.model
        connection.execute(_UPDATE, (*now, *(exchange.time,) * 2, number, *now, *(exchange.time,) * 2))
        yield ExchangeEntry(connection, sums, tenant, number, exchange), receipts


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
