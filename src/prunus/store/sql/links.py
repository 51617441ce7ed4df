"""Find the conversations that a request may continue, by the links of its messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from prunus.conversations.memory import Match
from prunus.store.sql.database import SqlConnection

_BATCHES: Final = (4, 32, 512)
"""The links per query; the last number repeats. They are fixed, so that a database prepares each statement once.

A step of the model adds two or three messages, so the first query finds the link before them.
"""


def find_conversations(connection: SqlConnection, tenant: str, links: Sequence[bytes]) -> Sequence[Match]:
    """Return the conversations that a request with these links may continue."""
    for batch in _deepest_first(links):
        deepest = _holders(connection, tenant, batch, "ORDER BY l.depth DESC LIMIT 1")
        if deepest:
            if not deepest[0].left and deepest[0].shared < len(links):
                return deepest
            near = links[-_BATCHES[1] :]
            return (*deepest, *_holders(connection, tenant, near, "AND c.depth = l.depth"))
    return ()


def _holders(connection: SqlConnection, tenant: str, links: Sequence[bytes], which: str) -> list[Match]:
    """Return the conversations that sent these links last."""
    rows = connection.execute(
        "SELECT c.id, c.depth, c.requests, l.depth FROM links l JOIN conversations c ON c.n = l.conversation "
        f"WHERE l.tenant = ? AND l.link IN ({','.join('?' * len(links))}) {which}",
        (tenant, *links),
    )
    return [Match(*row) for row in rows]


def _deepest_first(links: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Yield the links in batches of fixed sizes, from the last link back to the first."""
    end, step = len(links), 0
    while end > 0:
        size = _BATCHES[min(step, len(_BATCHES) - 1)]
        batch = links[max(0, end - size) : end]
        yield (*batch, *[batch[-1]] * (size - len(batch)))
        end, step = end - size, step + 1
