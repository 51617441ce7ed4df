"""The bill in dollars with and without pruning, and costs and savings by day, project, model, agent or strategy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from prunus.errors import SettingsError
from prunus.schedule.dollars import Money
from prunus.schedule.prices import Price
from prunus.spending import DayTotals, Earnings, summed
from prunus.store.records import Totals
from prunus.text.numbers import dollars, percent, short

_ANSWER: Final = 750
"""What the answer costs in which an agent asks again: 150 tokens, at five times the price of input."""
_UNITS: Final = {"d": 1, "w": 7, "m": 30}
_UNNAMED: Final = "(not named)"


@dataclass(frozen=True, slots=True)
class Bill:
    """Dollars of input, over all models with a known price."""

    cost: float = 0.0
    unpruned: float = 0.0
    of_breaks: float = 0.0
    asking: float = 0.0
    """The dollars of requests in which agents asked for cut content again."""
    unknown: tuple[str, ...] = ()
    """The models without a known price, which the sums leave out."""

    @property
    def saved(self) -> float:
        """The net savings, after the cost of cache breaks and of asking again."""
        return self.unpruned - self.cost - self.asking


def bill_of(rows: Iterable[DayTotals], money: Money, asking: float = 0.0) -> Bill | None:
    """The bill of some exchanges; None if dollars are not wanted, or no price of their models is known.

    `asking` is the cost of asking again in uncached input tokens. It is paid at the mean price of the models.
    """
    cost = unpruned = of_breaks = priced = 0.0
    unknown: dict[str, None] = {}
    for row in rows:
        price = money.of(row.model)
        if price is None:
            if row.requests:
                unknown[row.model or "no name"] = None
            continue
        cost += price * row.cost
        unpruned += price * row.cost_unpruned
        of_breaks += price * row.cost_of_breaks
        priced += row.cost_unpruned
    if not priced:
        return None
    return Bill(cost, unpruned, of_breaks, asking * unpruned / priced, tuple(sorted(unknown)))


def cost_of_asking(totals: Totals, rows: Sequence[DayTotals], price_of: Callable[[str], Price]) -> float:
    """Return the cost of asking for cut content again, in uncached input tokens; `rows` are the sums by model.

    Each time, one more request of average size was sent to the model that cost most, and the part was written to
    the cache again.
    """
    tried, context = totals.experience.total, totals.tokens_after / max(1, totals.requests)
    price = price_of(max(rows, key=lambda row: row.cost_unpruned, default=DayTotals("")).model)
    return tried.asked * (context * price.read + _ANSWER) + tried.tokens * price.write


def bill_record(bill: Bill | None) -> dict[str, Any] | None:
    """A bill as plain data, for programs."""
    if bill is None:
        return None
    return {
        "cost": round(bill.cost, 6),
        "unpruned": round(bill.unpruned, 6),
        "cost_of_breaks": round(bill.of_breaks, 6),
        "cost_of_asking_again": round(bill.asking, 6),
        "saved": round(bill.saved, 6),
        "unknown": list(bill.unknown),
    }


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


def since_day(text: str | None, today: date) -> str:
    """The date that `2026-01-31`, `today`, `7d`, `4w` or `3m` means, as the store writes dates; empty for None."""
    if not text:
        return ""
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
    found: dict[str, dict[str, Any]] = {}
    for one in earned:
        record = found.setdefault(
            one.strategy,
            {"strategy": one.strategy, "cuts": 0, "tokens": 0, "kept_out": 0, "saved": 0.0, "asked_again": 0},
        )
        for name in ("cuts", "tokens", "kept_out", "saved", "asked_again"):
            record[name] += getattr(one, name)
        price = money.of(one.model)
        if price is not None:
            record["dollars_saved"] = record.get("dollars_saved", 0.0) + price * one.saved
    return sorted(found.values(), key=lambda record: (-record["saved"], record["strategy"]))


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
