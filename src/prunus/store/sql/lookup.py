"""Queries that find the conversations which a request may continue, by the links of its messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from prunus.conversations.memory import Match
from prunus.store.memory import ROW, deepest_first
from prunus.store.sql.database import SqlConnection

BATCHES: Final = (4, 32, 512)
"""The links per query. They are fixed, so that a database prepares each statement once.

A step of the model adds two or three messages, so the first query finds the link before them.
"""
_MATCH: Final = (
    "c.id, c.depth, c.requests, found.shared, "
    "EXISTS (SELECT 1 FROM asked a WHERE a.tenant = c.tenant AND a.conversation = c.id)"
)
_HOLDERS: Final = "FROM found JOIN conversations c ON c.n = found.conversation"
_DEEPEST: Final = f"{_HOLDERS} ORDER BY found.shared DESC LIMIT 1"

Query = tuple[str, Sequence[Any]]
"""A query, and its values."""


def find_matches(connection: SqlConnection, tenant: str, links: Sequence[bytes]) -> Sequence[Match]:
    """Return the conversations that a request with these links may continue; see `Memory.find`."""
    for batch in deepest_first(links, BATCHES):
        found, values = _found(tenant, batch)
        for row in connection.execute(f"{found} SELECT {_MATCH} {_DEEPEST}", values).fetchall():
            deepest = match_from(row)
            return (deepest,) if goes_on(deepest, links) else (deepest, *find_ends(connection, tenant, links))
    return ()


def find_ends(connection: SqlConnection, tenant: str, links: Sequence[bytes]) -> Sequence[Match]:
    """Return the conversations that end at one of the newest links."""
    found, values = _found(tenant, links[-BATCHES[1] :])
    rows = connection.execute(f"{found} SELECT {_MATCH} {_HOLDERS} WHERE c.depth = found.shared", values)
    return tuple(map(match_from, rows))


def goes_on(deepest: Match, links: Sequence[bytes]) -> bool:
    """Whether a request with these links simply continues the conversation with its deepest known link."""
    return not deepest.left and deepest.shared < len(links)


def holder_queries(tenant: str, links: Sequence[bytes]) -> tuple[Query, Query]:
    """Return queries for the conversation with the deepest of a few links, and for its edits.

    The first one returns the row number, what `match_from` takes, and a `ConversationRow`.
    """
    found, values = _found(tenant, links)
    row = f"{found} SELECT c.n, {_MATCH}, {', '.join(f'c.{name}' for name in ROW)} {_DEEPEST}"
    edits = f"{found} SELECT x.message, x.part, x.edit FROM edits x WHERE x.conversation = (SELECT c.n {_DEEPEST})"
    return (row, values), (edits, values)


def match_from(row: Sequence[Any]) -> Match:
    """Return a match from the row of a query."""
    id, depth, requests, shared, commands = row
    return Match(id, depth, requests, shared, bool(commands))


def _found(tenant: str, links: Sequence[bytes]) -> Query:
    """Return the beginning of a query: `found` has the conversations that sent these links last.

    Each link is looked up on its own. As long as Postgres knows nothing of a new table, it would read all links of
    a tenant for `link IN (...)`.
    """
    size = next(size for size in BATCHES if size >= len(links))
    padded = (*links, *[links[-1]] * (size - len(links)))
    found = (
        f"WITH wanted(link) AS (VALUES {', '.join(['(?)'] * size)}), found AS (SELECT "
        "(SELECT conversation FROM links WHERE tenant = ? AND link = wanted.link) AS conversation, "
        "(SELECT depth FROM links WHERE tenant = ? AND link = wanted.link) AS shared FROM wanted)"
    )
    return found, (*padded, tenant, tenant)
