"""The row numbers of conversations, which other tables refer to.

A transaction that knows the number of its conversation need not wait until the server has told it. It only requires
that the row is still there: another process may have removed the conversation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prunus.store.recent import Recent
from prunus.store.sql.database import SqlConnection

ConversationPlace = tuple[str, str]
"""A tenant, and the id of a conversation."""

RowNumbers = Recent[ConversationPlace, int]
"""The numbers that this process knows."""


def ask_number(
    connection: SqlConnection, numbers: RowNumbers, place: ConversationPlace, time: float
) -> Callable[[], int]:
    """Return a function that returns the number of a conversation, which is inserted if it is new.

    If the number is known, the transaction fails with Outdated unless it is still right.
    """
    known = numbers.get(place)
    if known is not None:
        connection.require("SELECT n FROM conversations WHERE n = ? AND tenant = ? AND id = ?", (known, *place))
        return lambda: known
    rows = find_or_begin(connection, place, time, "n")

    def number() -> int:
        [[number]] = rows()
        numbers.put(place, number)
        return int(number)

    return number


def find_or_begin(
    connection: SqlConnection, place: ConversationPlace, time: float, columns: str
) -> Callable[[], list[Any]]:
    """Return a function that returns these columns of a conversation, which is inserted if it is new."""
    connection.execute(
        "INSERT INTO conversations (tenant, id, first, last) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (tenant, id) DO NOTHING",
        (*place, time, time),
    )
    return connection.ask(f"SELECT {columns} FROM conversations WHERE tenant = ? AND id = ?", place)
