"""The row of an exchange, and what an exchange adds to the sums of all time, of its day and of its agent.

These sums stay when retention removes the exchanges themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from operator import attrgetter, itemgetter
from typing import Any, Final

from prunus.schedule.ledger import Ledger
from prunus.spending import DayTotals
from prunus.store.records import Exchange, Usage
from prunus.store.sql.sums import Additions, adding

_ABOUT: Final = ("id", "request", "time", "client", "format", "model", "tokens_before", "tokens_after")
_USAGE: Final = ("input", "cache_read", "cache_write", "output")
_COSTS: Final = ("cost", "cost_unpruned", "cost_of_break")
_ANSWER: Final = ("status", "ms", "error", "shadow", "behind", "keep_alive", "project", "missed", "missed_for")
COLUMNS: Final = (*_ABOUT, *_USAGE, *_COSTS, "flush", *_ANSWER)
_about, _usage, _costs, _answer = (attrgetter(*names) for names in (_ABOUT, _USAGE, _COSTS, _ANSWER))

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
"""Each sum, and what an exchange adds to it."""
COUNTED: Final = f"shadow, time, client, model, project, missed_for, {', '.join(SUMS.values())}"
TOTALS: Final = (*SUMS,)[:-1]
"""The sums of all time, which also count conversations; missed tokens are only in the sums of a day."""
DAY: Final = tuple(field.name for field in fields(DayTotals))
"""The columns of the sums of a day: five by which they are grouped, and the sums."""
_GROUPED: Final = 5
DAY_SUMS: Final = DAY[_GROUPED:]
_of_day = itemgetter(*(list(SUMS).index(name) for name in DAY_SUMS))

_ADD_TOTALS: Final = adding("totals", ("tenant", "shadow"), (*TOTALS, "conversations"))
_ADD_DAY: Final = adding("days", ("tenant", "shadow", *DAY[:_GROUPED]), DAY_SUMS)
_ADD_REQUESTS: Final = adding("agents", ("tenant", "shadow", "client"), ("requests",))


def row_of(exchange: Exchange) -> tuple[Any, ...]:
    """Return the values of `COLUMNS`."""
    usage = (None,) * len(_USAGE) if exchange.usage is None else _usage(exchange.usage)
    flush = None if exchange.flush is None else Ledger(flushes=(exchange.flush,)).dump()
    return (*_about(exchange), *usage, *_costs(exchange), flush, *_answer(exchange))


def exchange_of(conversation: str, row: tuple[Any, ...]) -> Exchange:
    """Return the exchange of a row with the values of `COLUMNS`; its asks and its context are not in it."""
    values = dict(zip(COLUMNS, row, strict=True))
    usage = [values.pop(name) for name in _USAGE]
    values["usage"] = None if usage[0] is None else Usage(*usage)
    values["flush"] = None if values["flush"] is None else Ledger.load(values["flush"]).flushes[0]
    for flag in ("shadow", "behind", "keep_alive"):
        values[flag] = bool(values[flag])
    return Exchange(conversation, **values)


def count_exchange(sums: Additions, tenant: str, counted: Sequence[Any], *, alone: bool) -> None:
    """Add an exchange to the sums.

    `counted` are the values of `COUNTED` in its row; `alone` says that its conversation has no other exchange.
    """
    shadow, time, client, model, project, missed_for, *added = counted
    day = _local_day(time), client, model, project, missed_for
    sums.add(_ADD_TOTALS, (tenant, shadow), (*added[:-1], alone))
    sums.add(_ADD_DAY, (tenant, shadow, *day), _of_day(added))
    sums.add(_ADD_REQUESTS, (tenant, shadow, client), added[:1])


def count_request(sums: Additions, tenant: str, exchange: Exchange) -> None:
    """Count a request of an agent; keep-alive requests do not count."""
    sums.add(_ADD_REQUESTS, (tenant, exchange.shadow, exchange.client), (not exchange.keep_alive,))


def _local_day(time: float) -> str:
    """Return the local date of a time, such as 2026-01-31; empty if the time has none."""
    try:
        return datetime.fromtimestamp(time).date().isoformat()
    except (OSError, OverflowError, ValueError):
        return ""
