"""What people read in a SQL store: sessions, requests, receipts, originals and sums."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from prunus.conversations.context import Context
from prunus.reuse.asked_again import Experience
from prunus.spending import DayTotals, Earnings
from prunus.store.cipher import Cipher
from prunus.store.records import DIGEST_SIZE, SHORTEST_DIGEST, Exchange, StoredReceipt, StoredSession, Totals, Usage
from prunus.store.sql.cuts import asks_of, experience_of, experiences
from prunus.store.sql.database import NO_LIMIT, SqlConnection, SqlDatabase
from prunus.store.sql.exchanges import COLUMNS, DAY, DAY_SUMS, SUMS, TOTALS, exchange_of
from prunus.tally import Tally

_EXCHANGES: Final = f"SELECT e.n, c.id, {', '.join(f'e.{name}' for name in COLUMNS)} FROM exchanges e"
_RECEIPTS: Final = """
    SELECT r.id, c.id, r.request, r.time, r.message, r.part, r.turn, r.tool, r.what, r.strategy, r.reason,
           r.tokens_before, r.tokens_after, r.price, o.hash, r.shadow,
           coalesce((SELECT max(x.asked) FROM cuts x
                   WHERE x.conversation = r.conversation AND x.message = r.message AND x.part = r.part), 0)
    FROM receipts r JOIN conversations c ON c.n = r.conversation LEFT JOIN originals o ON o.n = r.original
    WHERE c.tenant = ? AND r.what != 'passed' """
_BY_TIME: Final = " ORDER BY r.time DESC, r.message, r.part LIMIT ?"
_SESSIONS: Final = """
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
        ON newest.n = (SELECT e.n FROM exchanges e WHERE e.conversation = c.n AND e.tokens_before > 0
                       ORDER BY e.time DESC, e.request DESC, e.n DESC LIMIT 1)
    WHERE c.n IN (SELECT n FROM conversations WHERE {chosen} ORDER BY last DESC, n DESC LIMIT ? OFFSET ?)
    ORDER BY c.last DESC, c.n DESC"""
"""The inner query chooses the conversations, so that the sums are made for these only.

The newest exchange is not the one that was written last: replicas write what they have served at their own pace.
"""
_OF_CONVERSATION: Final = (
    "FROM exchanges e JOIN conversations c ON c.n = e.conversation WHERE c.tenant = ? AND c.id = ? AND e.shadow = ?"
)
_CUTS: Final = """
    SELECT r.conversation, c.model, r.strategy, count(DISTINCT r.item), sum(r.tokens_before - r.tokens_after),
           sum((r.tokens_before - r.tokens_after)
               * CASE WHEN c.requests > r.request THEN c.requests - r.request + 1 ELSE 1 END),
           sum(r.price)
    FROM receipts r JOIN conversations c ON c.n = r.conversation
    WHERE c.tenant = ? AND r.shadow = ? AND r.time >= ? AND r.what != 'passed'
    GROUP BY r.conversation, c.model, r.strategy"""
_ASKED: Final = """
    SELECT x.strategy, c.model, count(*) FROM cuts x JOIN conversations c ON c.n = x.conversation
    WHERE c.tenant = ? AND x.shadow = ? AND c.last >= ? AND x.asked > 0 GROUP BY x.strategy, c.model"""
_SAVED: Final = """
    SELECT e.conversation, sum(e.cost_unpruned - e.cost + e.cost_of_break)
    FROM exchanges e JOIN conversations c ON c.n = e.conversation
    WHERE c.tenant = ? AND e.shadow = ? AND e.time >= ? GROUP BY e.conversation"""


class SqlReports:
    """The methods of `Store` that read exchanges, receipts, originals and totals; `Store` documents them."""

    def __init__(self, database: SqlDatabase, cipher: Cipher) -> None:
        self._database = database
        self._cipher = cipher

    def sessions(
        self, tenant: str, limit: int | None = None, *, offset: int = 0, id: str = "", words: str = ""
    ) -> list[StoredSession]:
        # The `|| ''` keeps the database from looking for the tenant first: it walks over the conversations by age,
        # and stops at the limit.
        chosen, values = ("tenant = ? AND id = ?", (id,)) if id else ("tenant || '' = ?", ())
        if words:
            # Each dialect has its own function to find a text in another one. Both have `replace`.
            about = "lower(id || ' ' || client || ' ' || model)"
            chosen, values = f"{chosen} AND replace({about}, ?, '') != {about}", (*values, words.lower())
        query = _SESSIONS.format(chosen=chosen)
        return [_session_of(row) for row in self._rows(query, tenant, *values, _most(limit), offset)]

    def exchanges(self, tenant: str, conversation: str) -> list[Exchange]:
        def read(connection: SqlConnection) -> list[Exchange]:
            own = "JOIN conversations c ON c.n = e.conversation WHERE c.tenant = ? AND c.id = ?"
            query = f"{_EXCHANGES} {own} ORDER BY e.time, e.request"
            rows = connection.execute(query, (tenant, conversation)).fetchall()
            asks = asks_of(connection, tenant, conversation)
            found = (self._exchange_of(tenant, row) for row in rows)
            return [replace(one, asks=asks[one.request]) if one.request in asks else one for one in found]

        return self._database.report(read)

    def newest_exchanges(self, tenant: str, after: int = 0, limit: int = 50) -> tuple[int, list[Exchange]]:
        # With CROSS JOIN SQLite walks over the first table in the order of its row numbers, and stops at the limit.
        # The row numbers grow with each write, so "the newest" needs no sort of everything that is stored.
        own = "CROSS JOIN conversations c WHERE c.n = e.conversation AND e.n > ? AND c.tenant = ? AND e.status > 0"
        rows = self._rows(f"{_EXCHANGES} {own} ORDER BY e.n DESC LIMIT ?", after, tenant, limit)
        return rows[0][0] if rows else after, [self._exchange_of(tenant, row) for row in rows]

    def receipts(self, tenant: str, conversation: str = "", limit: int | None = None) -> list[StoredReceipt]:
        if conversation:
            return self._receipts(f"AND c.id = ? {_BY_TIME}", tenant, conversation, _most(limit))
        return self._receipts(_BY_TIME, tenant, _most(limit))

    def newest_receipts(
        self, tenant: str, strategy: str = "", limit: int = 50, offset: int = 0
    ) -> list[StoredReceipt]:
        own, chosen = ("AND r.strategy = ?", (strategy,)) if strategy else ("", ())
        numbers = (
            "SELECT r.n FROM receipts r CROSS JOIN conversations c "
            f"WHERE c.n = r.conversation AND c.tenant = ? AND r.what != 'passed' {own} "
            "ORDER BY r.n DESC LIMIT ? OFFSET ?"
        )
        query = f"AND r.n IN ({numbers}) ORDER BY r.n DESC"
        return self._receipts(query, tenant, tenant, *chosen, limit, offset)

    def receipt(self, tenant: str, conversation: str, message: int, part: int) -> StoredReceipt | None:
        query = "AND c.id = ? AND r.message = ? AND r.part = ?"
        found = self._receipts(query, tenant, conversation, message, part)
        return found[0] if found else None

    def find(self, tenant: str, id: str) -> list[StoredReceipt]:
        # LIKE would not use the index, so this is a range. Ids are hex digits, so "g" sorts after all of them.
        return self._receipts(f"AND r.id >= ? AND r.id < ? {_BY_TIME}", tenant, id, f"{id}g", NO_LIMIT)

    def original(self, tenant: str, digest: str) -> str | None:
        try:
            first = bytes.fromhex(digest)
        except ValueError:
            return None
        if not SHORTEST_DIGEST <= len(first) <= DIGEST_SIZE:
            return None
        query = "SELECT hash, data FROM originals WHERE tenant = ? AND hash BETWEEN ? AND ?"
        for hash, data in self._rows(query, tenant, first, first.ljust(DIGEST_SIZE, b"\xff")):
            plain = self._cipher.decrypt(data, tenant, "original", hash.hex())
            return zlib.decompress(plain).decode("utf-8", "surrogatepass")
        return None

    def contexts(self, tenant: str, conversation: str = "") -> list[Context]:
        own, chosen = ("AND c.id = ?", (conversation,)) if conversation else ("", ())
        query = "SELECT x.numbers FROM contexts x JOIN conversations c ON c.n = x.conversation WHERE c.tenant = ?"
        return [Context.load(numbers) for [numbers] in self._rows(f"{query} {own} ORDER BY c.n", tenant, *chosen)]

    def totals(self, tenant: str, conversation: str = "", *, shadow: bool = False) -> Totals:
        def of_all(connection: SqlConnection) -> Totals:
            place = tenant, shadow
            query = f"SELECT {', '.join(TOTALS)}, conversations FROM totals WHERE tenant = ? AND shadow = ?"
            row = connection.execute(query, place).fetchone()
            tallies = connection.execute(
                "SELECT strategy, count, tokens FROM strategies WHERE tenant = ? AND shadow = ? AND count > 0",
                place,
            ).fetchall()
            experience = sum(experiences(connection, tenant, shadow).values(), Experience())
            return _totals_of(row, tallies, experience)

        def of_one(connection: SqlConnection) -> Totals:
            place = tenant, conversation, shadow
            sums = ", ".join(f"sum({SUMS[name]})" for name in TOTALS)
            row = connection.execute(f"SELECT {sums}, count(DISTINCT c.n) {_OF_CONVERSATION}", place).fetchone()
            tallies = connection.execute(
                "SELECT r.strategy, count(DISTINCT r.item), sum(r.tokens_before - r.tokens_after) "
                "FROM receipts r JOIN conversations c ON c.n = r.conversation "
                "WHERE c.tenant = ? AND c.id = ? AND r.shadow = ? GROUP BY r.strategy",
                place,
            ).fetchall()
            return _totals_of(row, tallies, experience_of(connection, *place, row[0] or 0))

        return self._database.report(of_one if conversation else of_all)

    def days(self, tenant: str, since: str = "", *, shadow: bool = False) -> list[DayTotals]:
        query = f"SELECT {', '.join(DAY)} FROM days WHERE tenant = ? AND shadow = ? AND day >= ? AND requests > 0"
        found = [DayTotals(*row) for row in self._rows(f"{query} ORDER BY day", tenant, shadow, since)]
        return [replace(one, project=self._text(one.project, tenant, "project")) for one in found]

    def bills(self, tenant: str, conversation: str, *, shadow: bool = False) -> list[DayTotals]:
        sums = ", ".join(f"sum({SUMS[name]})" for name in DAY_SUMS)
        query = f"SELECT e.model, {sums} {_OF_CONVERSATION} GROUP BY e.model"
        rows = self._rows(query, tenant, conversation, shadow)
        return [DayTotals("", "", model, "", "", *numbers) for model, *numbers in rows]

    def earnings(self, tenant: str, since: float = 0.0, *, shadow: bool = False) -> list[Earnings]:
        def read(connection: SqlConnection) -> list[Earnings]:
            place = tenant, shadow, since
            saved = dict(connection.execute(_SAVED, place))
            cuts = connection.execute(_CUTS, place).fetchall()
            asked = {(strategy, model): count for strategy, model, count in connection.execute(_ASKED, place)}
            return _shared_out(saved, cuts, asked)

        return self._database.report(read)

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._database.report(lambda connection: connection.execute(query, values).fetchall())

    def _receipts(self, query: str, *values: Any) -> list[StoredReceipt]:
        """Return the receipts that a query chooses; the first of the values is the tenant."""
        found = []
        for *about, reason, before, after, price, hash, shadow, asked in self._rows(_RECEIPTS + query, *values):
            plain, original = self._text(reason, values[0], "reason"), "" if hash is None else hash.hex()
            row: tuple[Any, ...] = (*about, plain, before, after, price, original, bool(shadow), asked)
            found.append(StoredReceipt(*row))
        return found

    def _exchange_of(self, tenant: str, row: tuple[Any, ...]) -> Exchange:
        one = exchange_of(row[1], row[2:])
        error, project = self._text(one.error, tenant, "error"), self._text(one.project, tenant, "project")
        return replace(one, error=error, project=project)

    def _text(self, text: str, tenant: str, what: str) -> str:
        return self._cipher.decrypt_text(text, tenant, what)


def _most(limit: int | None) -> int:
    return NO_LIMIT if limit is None else limit


def _session_of(row: tuple[Any, ...]) -> StoredSession:
    *about, kept, counted, depth, before, after, cost, unpruned, cut, shadow = row
    values: tuple[Any, ...] = (*about, max(kept, counted), depth, before, after, cost, unpruned, cut, bool(shadow))
    return StoredSession(*values)


def _totals_of(
    row: Sequence[Any] | None, tallies: Sequence[tuple[str, int, int]], experience: Experience
) -> Totals:
    """Return totals from a row with the sums of `TOTALS` and the number of conversations."""
    names = (*TOTALS, "conversations")
    numbers: dict[str, Any] = dict(zip(names, row or (0,) * len(names), strict=True))
    numbers = {name: (float if name.startswith("cost") else int)(value or 0) for name, value in numbers.items()}
    usage = Usage(*(numbers.pop(name) for name in ("input", "cache_read", "cache_write", "output")))
    strategies = {strategy: Tally(count, tokens) for strategy, count, tokens in tallies}
    return Totals(**numbers, usage=usage, strategies=strategies, experience=experience)


def _shared_out(
    saved: dict[int, float], cuts: Sequence[tuple[Any, ...]], asked: dict[tuple[str, str], int]
) -> list[Earnings]:
    """Divide the savings of each conversation among strategies, by the tokens that they kept out of requests."""
    whole: dict[int, int] = {}
    for number, _, _, _, _, kept, _ in cuts:
        whole[number] = whole.get(number, 0) + kept
    found: dict[tuple[str, str], list[float]] = {}
    for number, model, strategy, count, tokens, kept, price in cuts:
        share = saved.get(number, 0.0) * kept / whole[number] if whole[number] else 0.0
        sums = found.setdefault((strategy, model), [0, 0, 0, 0.0])
        for at, value in enumerate((count, tokens, kept, share - price)):
            sums[at] += value
    return [
        Earnings(strategy, model, int(count), int(tokens), int(kept), gain, asked.get((strategy, model), 0))
        for (strategy, model), (count, tokens, kept, gain) in found.items()
    ]
