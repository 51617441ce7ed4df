"""The tables about what was cut and asked for again: a row for each cut, and the sums of each agent.

A part that one strategy cut and another one cut anew has two rows. The sums outlive their conversations, like the
totals of all time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from prunus.history import Ref
from prunus.reuse.asked_again import Ask, Experience, Tried
from prunus.store.records import Exchange
from prunus.store.sql.database import SqlConnection
from prunus.store.sql.sums import Additions, adding

_ADD: Final = adding(
    "experience", ("tenant", "shadow", "client", "strategy", "kind"), ("cut", "expected", "asked", "tokens")
)
_SUMS: Final = (
    "strategy, kind, count(*) FILTER (WHERE made > 0), sum(expected), count(*) FILTER (WHERE asked > 0), "
    "sum(CASE WHEN asked > 0 THEN tokens ELSE 0 END)"
)


@dataclass(frozen=True, slots=True)
class ExchangeEntry:
    """An exchange that is being written."""

    connection: SqlConnection
    sums: Additions
    tenant: str
    conversation: int
    """The row number of its conversation."""
    exchange: Exchange


def write_cuts(entry: ExchangeEntry) -> None:
    """Count the parts that an exchange cut and that a later call can ask for."""
    exchange = entry.exchange
    written = []
    for cut in exchange.cuts:
        new = entry.connection.ask(
            "INSERT INTO cuts (conversation, message, part, strategy, kind, made, expected, shadow) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING strategy, kind, 1, expected, 0, 0",
            (
                entry.conversation,
                *cut.target,
                cut.strategy,
                cut.kind,
                exchange.request,
                cut.expected,
                exchange.shadow,
            ),
        )
        written.append(new)
    _add_all(entry, written)


def write_asks(entry: ExchangeEntry) -> None:
    """Count the parts that an exchange asked for again, each of them once."""
    written = []
    for ask in entry.exchange.asks:
        place = entry.conversation, *ask.target, ask.strategy
        # A conversation that left another one took over edits for which it has no rows.
        entry.connection.execute(
            "INSERT INTO cuts (conversation, message, part, strategy, kind, shadow) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*place, ask.kind, entry.exchange.shadow),
        )
        new = entry.connection.ask(
            "UPDATE cuts SET asked = ?, tokens = ?, call_message = ?, call_part = ? WHERE conversation = ? "
            "AND message = ? AND part = ? AND strategy = ? AND asked = 0 RETURNING strategy, kind, 0, 0, 1, tokens",
            (entry.exchange.request, ask.tokens, *ask.call, *place),
        )
        written.append(new)
    _add_all(entry, written)


def _add_all(entry: ExchangeEntry, written: Iterable[Callable[[], list[Any]]]) -> None:
    """Add new rows to the experience with the agent of an exchange."""
    exchange = entry.exchange

    def count() -> None:
        for rows in written:
            for strategy, kind, *values in rows():
                entry.sums.add(_ADD, (entry.tenant, exchange.shadow, exchange.client, strategy, kind), values)

    entry.sums.count_later(count)


def asks_of(connection: SqlConnection, tenant: str, conversation: str) -> Mapping[int, tuple[Ask, ...]]:
    """Return the asks of a conversation by the number of their request."""
    rows = connection.execute(
        "SELECT x.asked, x.message, x.part, x.strategy, x.kind, x.tokens, x.call_message, x.call_part "
        "FROM cuts x JOIN conversations c ON c.n = x.conversation WHERE c.tenant = ? AND c.id = ? AND x.asked > 0 "
        "ORDER BY x.call_message, x.call_part, x.message, x.part",
        (tenant, conversation),
    )
    found: dict[int, tuple[Ask, ...]] = {}
    for request, message, part, strategy, kind, tokens, *call in rows:
        ask = Ask(Ref(message, part), strategy, kind, tokens, Ref(*call))
        found[request] = (*found.get(request, ()), ask)
    return found


def experience_of(
    connection: SqlConnection, tenant: str, conversation: str, shadow: bool, requests: int
) -> Experience:
    """Return the experience of one conversation; `requests` are its requests."""
    rows = connection.execute(
        f"SELECT {_SUMS} FROM cuts WHERE shadow = ? AND conversation = "
        "(SELECT n FROM conversations WHERE tenant = ? AND id = ?) GROUP BY strategy, kind",
        (shadow, tenant, conversation),
    )
    return Experience(requests, _tried(rows))


def experiences(
    connection: SqlConnection, tenant: str, shadow: bool, client: str | None = None
) -> Mapping[str, Experience]:
    """Return the experience with each agent, or with one of them, by its name."""
    return experiences_from(connection.execute(*experience_query(tenant, shadow, client)))


def experience_query(tenant: str, shadow: bool, client: str | None) -> tuple[str, Sequence[Any]]:
    """Return the query for `experiences_from`, and its values."""
    own, chosen = ("", ()) if client is None else ("AND a.client = ?", (client,))
    query = (
        "SELECT a.client, a.requests, e.strategy, e.kind, e.cut, e.expected, e.asked, e.tokens "
        "FROM agents a LEFT JOIN experience e "
        "ON e.tenant = a.tenant AND e.shadow = a.shadow AND e.client = a.client AND e.cut > 0 "
        f"WHERE a.tenant = ? AND a.shadow = ? AND a.requests > 0 {own} ORDER BY a.client, e.strategy, e.kind"
    )
    return query, (tenant, shadow, *chosen)


def experiences_from(rows: Iterable[Sequence[Any]]) -> Mapping[str, Experience]:
    """Return the experience with each agent, from the rows of a query."""
    return {
        name: Experience(requests, _tried(sums for _, _, *sums in found if sums[0] is not None))
        for (name, requests), found in groupby(rows, itemgetter(0, 1))
    }


def _tried(rows: Iterable[Sequence[Any]]) -> Mapping[tuple[str, str], Tried]:
    return {
        (strategy, kind): Tried(cut, expected, asked, int(tokens))
        for strategy, kind, cut, expected, asked, tokens in rows
    }
