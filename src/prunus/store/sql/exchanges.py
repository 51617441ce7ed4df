"""The row of an exchange, and what an exchange adds to the sums of all time, of its day and of its agent.

These sums stay when retention removes the exchanges themselves.
"""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from prunus.schedule.ledger import Ledger
from prunus.spending import DayTotals
from prunus.store.records import Exchange, Usage
from prunus.store.sql.sums import Additions, adding

COLUMNS: Final = (
    "id", "request", "time", "client", "format", "model", "tokens_before", "tokens_after", "input", "cache_read",
    "cache_write", "output", "cost", "cost_unpruned", "cost_of_break", "flush", "status", "ms", "error", "shadow",
    "behind", "keep_alive", "project", "missed", "missed_for",
)  # fmt: skip
_USAGE: Final = ("input", "cache_read", "cache_write", "output")
SUMS: Final = {
    "requests": "1 - keep_alive",
    "errors": "CASE WHEN error = '' THEN 0 ELSE 1 END",
    "tokens_before": "tokens_before",
    "tokens_after": "tokens_after",
    **{name: f"coalesce({name}, 0)" for name in _USAGE},
    "cost": "cost",
    "cost_unpruned": "cost_unpruned",
    "cost_of_breaks": "cost_of_break",
    "breaks": "CASE WHEN flush IS NULL THEN 0 ELSE 1 END",
    "behind": "behind",
    "keep_alives": "keep_alive",
    "cost_of_keep_alives": "keep_alive * cost",
    "missed": "missed",
}
"""Each sum, and what an exchange adds to it in SQL; `_added` says the same in Python."""
TOTALS: Final = tuple(name for name in SUMS if name != "missed")
"""The sums of all time, which also count conversations."""
DAY: Final = tuple(field.name for field in fields(DayTotals))
"""The columns of the sums of a day: five by which they are grouped, and the sums."""
_GROUPED: Final = 5
DAY_SUMS: Final = DAY[_GROUPED:]

_ADD_TOTALS: Final = adding("totals", ("tenant", "shadow"), (*TOTALS, "conversations"))
_ADD_DAY: Final = adding("days", ("tenant", "shadow", *DAY[:_GROUPED]), DAY_SUMS)
_ADD_REQUESTS: Final = adding("agents", ("tenant", "shadow", "client"), ("requests",))


def row_of(exchange: Exchange) -> tuple[Any, ...]:
    """Return the values of `COLUMNS`."""
    usage = exchange.usage
    values = {
        **dict.fromkeys(_USAGE, None),
        **({} if usage is None else {name: getattr(usage, name) for name in _USAGE}),
        "flush": None if exchange.flush is None else Ledger(flushes=(exchange.flush,)).dump(),
    }
    return tuple(values[name] if name in values else getattr(exchange, name) for name in COLUMNS)


def exchange_of(conversation: str, row: tuple[Any, ...]) -> Exchange:
    """Return the exchange of a row with the values of `COLUMNS`; its asks and its context are not in it."""
    values = dict(zip(COLUMNS, row, strict=True))
    usage = [values.pop(name) for name in _USAGE]
    values["usage"] = None if usage[0] is None else Usage(*usage)
    values["flush"] = None if values["flush"] is None else Ledger.load(values["flush"]).flushes[0]
    for flag in ("shadow", "behind", "keep_alive"):
        values[flag] = bool(values[flag])
    return Exchange(conversation, **values)


def count_exchange(sums: Additions, tenant: str, exchange: Exchange, sign: int, *, alone: bool) -> None:
    """Add an exchange to the sums, or with the sign -1 take it off; `alone` if its conversation has no other."""
    added = {name: sign * value for name, value in _added(exchange).items()}
    of = tenant, exchange.shadow
    day = _local_day(exchange.time), exchange.client, exchange.model, exchange.project, exchange.missed_for
    sums.add(_ADD_TOTALS, of, (*(added[name] for name in TOTALS), sign * alone))
    sums.add(_ADD_DAY, (*of, *day), (added[name] for name in DAY_SUMS))
    count_request(sums, tenant, exchange, sign)


def count_request(sums: Additions, tenant: str, exchange: Exchange, sign: int = 1) -> None:
    """Count a request of an agent, or with the sign -1 count it no longer; keep-alive requests do not count."""
    key = tenant, exchange.shadow, exchange.client
    sums.add(_ADD_REQUESTS, key, (sign * (not exchange.keep_alive),))


def _added(exchange: Exchange) -> dict[str, float]:
    """Return what an exchange adds to each sum."""
    usage = exchange.usage or Usage()
    return {
        "requests": not exchange.keep_alive,
        "errors": exchange.error != "",
        "tokens_before": exchange.tokens_before,
        "tokens_after": exchange.tokens_after,
        **{name: getattr(usage, name) for name in _USAGE},
        "cost": exchange.cost,
        "cost_unpruned": exchange.cost_unpruned,
        "cost_of_breaks": exchange.cost_of_break,
        "breaks": exchange.flush is not None,
        "behind": exchange.behind,
        "keep_alives": exchange.keep_alive,
        "cost_of_keep_alives": exchange.keep_alive * exchange.cost,
        "missed": exchange.missed,
    }


def _local_day(time: float) -> str:
    """Return the local date of a time, such as 2026-01-31; empty if the time has none."""
    try:
        return datetime.fromtimestamp(time).date().isoformat()
    except (OSError, OverflowError, ValueError):
        return ""
