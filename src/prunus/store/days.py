"""Sums of exchanges by day, agent, model and project. They stay when retention removes the exchanges themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Final

from prunus.spending import DayTotals
from prunus.store.additions import Additions
from prunus.store.records import Exchange
from prunus.store.sql import SqlConnection

_SUMS: Final = {
    "requests": "1 - keep_alive",
    "tokens_before": "tokens_before",
    "tokens_after": "tokens_after",
    "input": "coalesce(input, 0)",
    "cache_read": "coalesce(cache_read, 0)",
    "cache_write": "coalesce(cache_write, 0)",
    "output": "coalesce(output, 0)",
    "cost": "cost",
    "cost_unpruned": "cost_unpruned",
    "cost_of_breaks": "cost_of_break",
    "breaks": "CASE WHEN flush IS NULL THEN 0 ELSE 1 END",
    "missed": "missed",
}
"""Each sum of `DayTotals`, and what an exchange adds to it."""
_KEY: Final = ("day", "client", "model", "project", "missed_for")
_COLUMNS: Final = ", ".join(("tenant", "shadow", *_KEY, *_SUMS))
_SELECT: Final = (
    f"SELECT shadow, client, model, project, missed_for, {', '.join(_SUMS.values())} "
    "FROM exchanges WHERE conversation = ? AND id = ?"
)
_ADD: Final = (
    f"INSERT INTO days ({_COLUMNS}) VALUES ({', '.join('?' * (2 + len(_KEY) + len(_SUMS)))}) "
    f"ON CONFLICT (tenant, shadow, {', '.join(_KEY)}) DO UPDATE SET "
    f"{', '.join(f'{name} = days.{name} + excluded.{name}' for name in _SUMS)}"
)


def count_exchange(sums: Additions, tenant: str, exchange: Exchange, values: Sequence[float]) -> None:
    """Add an exchange to the sums of its day; `values` are in the order of the sums."""
    of = exchange.client, exchange.model, exchange.project, exchange.missed_for
    sums.add(_ADD, (tenant, exchange.shadow, _local_day(exchange.time), *of), values)


def uncount_exchange(
    connection: SqlConnection, sums: Additions, tenant: str, place: tuple[int, str], time: float
) -> None:
    """Take an exchange of this time that is in the store off the sums of its day."""
    shadow, client, model, project, missed_for, *values = connection.execute(_SELECT, place).fetchone()
    key = tenant, shadow, _local_day(time), client, model, project, missed_for
    sums.add(_ADD, key, [-value for value in values])


def _local_day(time: float) -> str:
    """Return the local date of a time, such as 2026-01-31; empty if the time has none."""
    try:
        return datetime.fromtimestamp(time).date().isoformat()
    except (OSError, OverflowError, ValueError):
        return ""


def days(connection: SqlConnection, tenant: str, since: str, shadow: bool) -> list[DayTotals]:
    """The sums of a tenant from a day on, the oldest first."""
    names = ", ".join(field.name for field in fields(DayTotals))
    rows = connection.execute(
        f"SELECT {names} FROM days WHERE tenant = ? AND shadow = ? AND day >= ? AND requests > 0 ORDER BY day",
        (tenant, shadow, since),
    )
    return [DayTotals(*row) for row in rows]


def bills(connection: SqlConnection, tenant: str, conversation: str, shadow: bool) -> list[DayTotals]:
    """The sums of one conversation by model."""
    sums = ", ".join(f"sum({value})" for value in _SUMS.values())
    rows = connection.execute(
        f"SELECT e.model, {sums} FROM exchanges e JOIN conversations c ON c.n = e.conversation "
        "WHERE c.tenant = ? AND c.id = ? AND e.shadow = ? GROUP BY e.model",
        (tenant, conversation, shadow),
    )
    return [DayTotals("", "", model, "", "", *numbers) for model, *numbers in rows]
