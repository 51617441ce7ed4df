"""Costs and savings by day, project, model, agent or strategy, as tables and as records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from prunus.errors import SettingsError
from prunus.report.bill import Amount, Bill, amount_of, bill_of, bill_record, token_price
from prunus.schedule.dollars import Money
from prunus.spending import DayTotals, Earnings, summed
from prunus.text.numbers import dollars, percent, short

_UNITS: Final = {"d": 1, "w": 7, "m": 30}
_UNNAMED: Final = "(not named)"


@dataclass(frozen=True, slots=True)
class Period:
    """The sums of one group."""

    name: str
    totals: DayTotals
    bill: Bill

    @property
    def cached(self) -> float:
        """The share of the tokens that the provider found in its cache."""
        whole = self.totals.written + self.totals.cache_read
        return self.totals.cache_read / whole if whole else 0.0


def since_day(text: str | None, today: date) -> str:
    """The date that `2026-01-31`, `today`, `7d`, `4w` or `3m` means, as the store writes dates; empty for None."""
    if not text:
        return ""
    if text == "today":
        return today.isoformat()
    if found := re.fullmatch(r"([1-9]\d{0,3})([dwm])", text):
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
    return sorted(found, key=lambda period: (-period.bill.unpruned.dollars, period.name))


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
    if money and bill.priced:
        paid, unpruned, saved = (one.dollars for one in (bill.paid, bill.unpruned, bill.saved))
        return *map(dollars, (paid, unpruned, saved)), _signed_percent(saved, unpruned)
    part = _signed_percent(totals.saved, totals.cost_unpruned)
    if money:
        return "-", "-", "-", part
    return (*(short(round(cost)) for cost in (totals.cost, totals.cost_unpruned, totals.saved)), part)


def _signed_percent(saved: float, unpruned: float) -> str:
    return f"{'-' if saved < 0 else ''}{percent(abs(saved), unpruned)}"


def _name(row: DayTotals, by: str) -> str:
    match by:
        case "day" | "week" | "month" if not row.day:
            return "(no date)"
        case "day":
            return row.day
        case "week":
            day = date.fromisoformat(row.day)
            return (day - timedelta(day.weekday())).isoformat()
        case "month":
            return row.day[:7]
        case "agent":
            return row.client or _UNNAMED
    return getattr(row, by) or _UNNAMED


def strategy_records(earned: Iterable[Earnings], money: Money) -> list[dict[str, Any]]:
    """The sums of each strategy over all models, the one that earned most first."""
    groups: dict[str, list[Earnings]] = {}
    for one in earned:
        groups.setdefault(one.strategy, []).append(one)
    records: list[dict[str, Any]] = []
    for strategy, group in groups.items():
        names = ("cuts", "tokens", "kept_out", "saved", "asked_again")
        sums = {name: sum(getattr(one, name) for one in group) for name in names}
        records.append({"strategy": strategy, **sums})
        if any(token_price(money, one.model) is not None for one in group):
            records[-1]["dollars_saved"] = saved_by(group, money).dollars
    return sorted(records, key=lambda record: (-record["saved"], record["strategy"]))


def saved_by(earned: Iterable[Earnings], money: Money) -> Amount:
    """What strategies saved, net of their cache breaks."""
    return amount_of(((one.model, one.saved) for one in earned), money)


def strategy_table(
    records: Sequence[Mapping[str, Any]], *, money: bool
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The headings and rows of a table."""
    headings = ("strategy", "cuts", "tokens", "kept out", "saved", "asked again", "")
    rows: list[tuple[str, ...]] = []
    for record in records:
        gain = dollars(record["dollars_saved"]) if "dollars_saved" in record else "-"
        rows.append(
            (
                record["strategy"],
                f"{record['cuts']:,}",
                short(record["tokens"]),
                short(record["kept_out"]),
                gain if money else short(round(record["saved"])),
                f"{record['asked_again']:,}",
                f"{record['asked_again'] / max(1, record['cuts']):.1%}",
            )
        )
    return headings, rows
