"""Costs and savings by day, week, month, project, model or agent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from prunus.errors import SettingsError
from prunus.report.money import Bill, bill_of, bill_record
from prunus.schedule.dollars import Money
from prunus.spending import DayTotals, summed
from prunus.text.numbers import dollars, percent, short

GROUPS: Final = ("day", "week", "month", "project", "model", "agent")
_UNITS: Final = {"d": 1, "w": 7, "m": 30}
_WITHOUT: Final = {"project": "(not named)", "model": "(not named)", "agent": "(not named)"}


@dataclass(frozen=True, slots=True)
class Period:
    """The sums of one group."""

    name: str
    totals: DayTotals
    bill: Bill | None

    @property
    def cached(self) -> float:
        """The share of the tokens that the provider found in its cache."""
        whole = self.totals.written + self.totals.cache_read
        return self.totals.cache_read / whole if whole else 0.0


def since_day(text: str, today: date) -> str:
    """The date that `2026-01-31`, `today`, `7d`, `4w` or `3m` means, as the store writes dates."""
    if text == "today":
        return today.isoformat()
    if found := re.fullmatch(r"(\d{1,4})([dwm])", text):
        return (today - timedelta(int(found[1]) * _UNITS[found[2]] - 1)).isoformat()
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise SettingsError(
            f"--since {text}: give a date such as 2026-01-31, today, or days, weeks or months such as 7d, 4w, 3m"
        ) from None


def periods(rows: Iterable[DayTotals], by: str, money: Money) -> list[Period]:
    """The sums of each group. Days come in their order; the dearest project, model or agent comes first."""
    groups: dict[str, list[DayTotals]] = {}
    for row in rows:
        groups.setdefault(_name(row, by), []).append(row)
    found = [Period(name, summed(group), bill_of(group, money)) for name, group in groups.items()]
    if by in ("day", "week", "month"):
        return sorted(found, key=lambda period: period.name)
    return sorted(found, key=lambda period: (-_worth(period), period.name))


def period_table(found: Sequence[Period], by: str, *, money: bool) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The headings and rows of a table; with `money`, costs are in dollars."""
    headings = (by, "requests", "came", "sent", "cached", "billed", "unpruned", "saved", "")
    rows: list[tuple[str, ...]] = [
        (
            one.name,
            f"{one.totals.requests:,}",
            short(one.totals.tokens_before),
            short(one.totals.tokens_after),
            f"{one.cached:.0%}",
            *_costs(one, money),
        )
        for one in found
    ]
    return headings, rows


def period_records(found: Iterable[Period], by: str) -> list[dict[str, Any]]:
    """The groups as plain data, for programs."""
    return [{by: one.name, **totals_of_days(one.totals), "dollars": bill_record(one.bill)} for one in found]


def totals_of_days(totals: DayTotals) -> dict[str, Any]:
    """The sums as plain data."""
    names = (
        "requests", "tokens_before", "tokens_after", "input", "cache_read", "cache_write", "output", "cost",
        "cost_unpruned", "cost_of_breaks", "breaks", "missed", "saved",
    )  # fmt: skip
    return {name: getattr(totals, name) for name in names}


def flat_records(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Records without records inside, for CSV: `dollars_saved` instead of `saved` inside of `dollars`."""
    flat = []
    for record in records:
        row = {name: value for name, value in record.items() if name != "dollars"}
        for name, value in (record["dollars"] or {}).items():
            if name != "unknown":
                row[f"dollars_{name}"] = value
        flat.append(row)
    return flat


def _costs(period: Period, money: bool) -> tuple[str, ...]:
    totals, bill = period.totals, period.bill
    share = percent(round(abs(totals.saved)), round(totals.cost_unpruned))
    part = f"{'-' if totals.saved < 0 else ''}{share}"
    if not money:
        return (*(short(round(cost)) for cost in (totals.cost, totals.cost_unpruned, totals.saved)), part)
    if bill is None:
        return "-", "-", "-", part
    return dollars(bill.cost), dollars(bill.unpruned), dollars(bill.saved), part


def _worth(period: Period) -> float:
    return period.bill.unpruned if period.bill is not None else 0.0


def _name(row: DayTotals, by: str) -> str:
    match by:
        case "day":
            return row.day
        case "week":
            day = date.fromisoformat(row.day)
            return (day - timedelta(day.weekday())).isoformat()
        case "month":
            return row.day[:7]
        case "agent":
            return row.client or _WITHOUT[by]
    return getattr(row, by) or _WITHOUT[by]
