"""Sums of exchanges by day, agent, model and project. They stay when retention removes the exchanges themselves."""

from __future__ import annotations

import sqlite3
from dataclasses import fields
from typing import Final

from prunus.spending import DayTotals

_SUMS: Final = {
    "requests": "NOT keep_alive",
    "tokens_before": "tokens_before",
    "tokens_after": "tokens_after",
    "input": "ifnull(input, 0)",
    "cache_read": "ifnull(cache_read, 0)",
    "cache_write": "ifnull(cache_write, 0)",
    "output": "ifnull(output, 0)",
    "cost": "cost",
    "cost_unpruned": "cost_unpruned",
    "cost_of_breaks": "cost_of_break",
    "breaks": "flush IS NOT NULL",
    "missed": "missed",
}
"""Each sum of `DayTotals`, and what an exchange adds to it."""
_KEY: Final = ("day", "client", "model", "project", "missed_for")
_COLUMNS: Final = ", ".join(("tenant", "shadow", *_KEY, *_SUMS))
_DAY: Final = "ifnull(date(time, 'unixepoch', 'localtime'), '')"
_ADD: Final = (
    f"INSERT INTO days ({_COLUMNS}) SELECT :tenant, shadow, {_DAY}, client, model, project, missed_for, "
    f"{', '.join(f':sign * ({value})' for value in _SUMS.values())} "
    "FROM exchanges WHERE conversation = :conversation AND id = :id "
    f"ON CONFLICT (tenant, shadow, {', '.join(_KEY)}) DO UPDATE SET "
    f"{', '.join(f'{name} = {name} + excluded.{name}' for name in _SUMS)}"
)


def count_exchange(connection: sqlite3.Connection, tenant: str, place: tuple[int, str], sign: int) -> None:
    """Add an exchange that is in the store to the sums of its day, or with `sign` -1 take it off."""
    conversation, id = place
    connection.execute(_ADD, {"tenant": tenant, "conversation": conversation, "id": id, "sign": sign})


def days(connection: sqlite3.Connection, tenant: str, since: str, shadow: bool) -> list[DayTotals]:
    """The sums of a tenant from a day on, the oldest first."""
    names = ", ".join(field.name for field in fields(DayTotals))
    rows = connection.execute(
        f"SELECT {names} FROM days WHERE tenant = ? AND shadow = ? AND day >= ? AND requests > 0 ORDER BY day",
        (tenant, shadow, since),
    )
    return [DayTotals(*row) for row in rows]


def bills(connection: sqlite3.Connection, tenant: str, conversation: str, shadow: bool) -> list[DayTotals]:
    """The sums of one conversation by model."""
    sums = ", ".join(f"sum({value})" for value in _SUMS.values())
    rows = connection.execute(
        f"SELECT e.model, {sums} FROM exchanges e JOIN conversations c ON c.n = e.conversation "
        "WHERE c.tenant = ? AND c.id = ? AND e.shadow = ? GROUP BY e.model",
        (tenant, conversation, shadow),
    )
    return [DayTotals("", "", model, "", "", *numbers) for model, *numbers in rows]
