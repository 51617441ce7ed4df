"""The tables about what was cut and asked for again: a row for each cut, and the sums of each agent.

A part that one strategy cut and another one cut anew has two rows. The sums outlive their conversations, like the
totals of all time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from prunus.edits import Proposal
from prunus.history import Ref
from prunus.outcome import Receipt
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


def write_cut(entry: ExchangeEntry, receipt: Receipt) -> None:
    """Count a part that was cut, if a later call can ask for it."""
    edit, kind = receipt.edit, receipt.kind
    if kind is None or receipt.passed:
        return
    exchange, expected = entry.exchange, edit.reuse if isinstance(edit, Proposal) else 0.0
    new = entry.connection.execute(
        "INSERT INTO cuts (conversation, message, part, strategy, kind, made, expected, shadow) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (entry.conversation, *edit.target, edit.counted_as, kind, exchange.request, expected, exchange.shadow),
    ).rowcount
    if new:
        _add(entry, exchange.shadow, edit.counted_as, kind, (1, expected, 0, 0))


def write_asks(entry: ExchangeEntry) -> None:
    """Count the parts that an exchange asked for again, each of them once."""
    for ask in entry.exchange.asks:
        place = entry.conversation, *ask.target, ask.strategy
        # A conversation that left another one took over edits for which it has no rows.
        entry.connection.execute(
            "INSERT INTO cuts (conversation, message, part, strategy, kind, shadow) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*place, ask.kind, entry.exchange.shadow),
        )
        new = entry.connection.execute(
            "UPDATE cuts SET asked = ?, tokens = ?, call_message = ?, call_part = ? "
            "WHERE conversation = ? AND message = ? AND part = ? AND strategy = ? AND asked = 0 RETURNING kind",
            (entry.exchange.request, ask.tokens, *ask.call, *place),
        ).fetchall()
        for [kind] in new:
            _add(entry, entry.exchange.shadow, ask.strategy, kind, (0, 0.0, 1, ask.tokens))


def move_cuts(entry: ExchangeEntry) -> None:
    """Count the cuts of a request among those of shadow runs, or no longer among them."""
    shadow = entry.exchange.shadow
    place = entry.conversation, entry.exchange.request, not shadow
    chosen = "FROM cuts WHERE conversation = ? AND made = ? AND shadow = ?"
    rows = entry.connection.execute(f"SELECT {_SUMS} {chosen} GROUP BY strategy, kind", place).fetchall()
    for strategy, kind, *values in rows:
        _add(entry, not shadow, strategy, kind, [-value for value in values])
        _add(entry, shadow, strategy, kind, values)
    entry.connection.execute(
        "UPDATE cuts SET shadow = ? WHERE conversation = ? AND made = ? AND shadow = ?", (shadow, *place)
    )


def _add(entry: ExchangeEntry, shadow: bool, strategy: str, kind: str, values: Iterable[float]) -> None:
    """Add to the experience with the agent of an exchange."""
    entry.sums.add(_ADD, (entry.tenant, shadow, entry.exchange.client, strategy, kind), values)


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


def experiences(connection: SqlConnection, tenant: str, shadow: bool) -> Mapping[str, Experience]:
    """Return the experience with each agent, by its name."""
    agents = connection.execute(
        "SELECT client, requests FROM agents WHERE tenant = ? AND shadow = ? AND requests > 0 ORDER BY client",
        (tenant, shadow),
    ).fetchall()
    return {client: Experience(requests, _sums(connection, tenant, shadow, client)) for client, requests in agents}


def experience_with(connection: SqlConnection, tenant: str, client: str) -> Experience:
    """Return the experience with one agent; shadow runs do not count."""
    row = connection.execute(
        "SELECT requests FROM agents WHERE tenant = ? AND shadow = 0 AND client = ?", (tenant, client)
    ).fetchone()
    return Experience(row[0], _sums(connection, tenant, False, client)) if row is not None else Experience()


def _sums(connection: SqlConnection, tenant: str, shadow: bool, client: str) -> Mapping[tuple[str, str], Tried]:
    rows = connection.execute(
        "SELECT strategy, kind, cut, expected, asked, tokens FROM experience "
        "WHERE tenant = ? AND shadow = ? AND client = ? AND cut > 0",
        (tenant, shadow, client),
    )
    return _tried(rows)


def _tried(rows: Iterable[tuple[Any, ...]]) -> Mapping[tuple[str, str], Tried]:
    return {
        (strategy, kind): Tried(cut, expected, asked, int(tokens))
        for strategy, kind, cut, expected, asked, tokens in rows
    }
