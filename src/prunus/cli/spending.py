"""The tables of `prunus stats --by` and `--cache`: what was spent and saved, and why caches missed."""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from prunus.cli.table import say, show

if TYPE_CHECKING:
    from prunus.schedule.dollars import Money
    from prunus.settings import Settings
    from prunus.spending import DayTotals, Earnings
    from prunus.store import Store

BY = ("day", "week", "month", "project", "model", "agent", "strategy")


def first_day(since: str | None) -> str:
    """Return the day that `--since` means; empty for all days."""
    from prunus.report.spending import since_day

    return since_day(since, date.today()) if since else ""


def days_of(store: Store, tenant: str, since: str) -> tuple[list[DayTotals], bool]:
    """Return the sums by day, and whether they are those of shadow mode, because nothing else is there."""
    rows = store.days(tenant, since)
    return (rows, False) if rows else (shadow := store.days(tenant, since, shadow=True), bool(shadow))


def show_periods(rows: Sequence[DayTotals], by: str, money: Money, form: str) -> None:
    """Print the sums of each day, week, month, project, model or agent."""
    from prunus.report.spending import Period, bill_of, flat_records, period_records, period_table, periods
    from prunus.spending import summed

    found = periods(rows, by, money)
    if form:
        records = period_records(found, by)
        _print_records(records if form == "json" else flat_records(records), form)
        return
    dollars = money.shown and any(one.bill is not None for one in found)
    headings, cells = period_table(found, by, money=dollars)
    if len(found) > 1:
        whole = Period("all", summed(rows), bill_of(rows, money))
        cells += period_table([whole], by, money=dollars)[1]
    show(headings, cells, right=range(1, len(headings)), flexible=(0,))
    say(_explained(rows, money, dollars=dollars))


def earned_since(store: Store, tenant: str, since: str, *, shadow: bool) -> list[Earnings]:
    """Return what each strategy earned from a day on."""
    begin = time.mktime(date.fromisoformat(since).timetuple()) if since else 0.0
    return store.earnings(tenant, begin, shadow=shadow)


def show_earnings(earned: Iterable[Earnings], money: Money, form: str) -> None:
    """Print what each strategy cut, earned and lost."""
    from prunus.report.spending import strategy_records, strategy_table

    records = strategy_records(earned, money)
    if form:
        _print_records(records, form)
        return
    headings, cells = strategy_table(records, money=money.shown)
    show(headings, cells, right=range(1, len(headings)))
    say("Savings are shared out by the tokens that each strategy kept out of requests, less its cache breaks.")


def show_misses(rows: Iterable[DayTotals], money: Money, settings: Settings, form: str, **named: str) -> None:
    """Print why tokens were written to prompt caches; `named` are further fields of each record."""
    from prunus.report.cache_misses import writes, writes_records, writes_table

    found = writes(rows, money, settings.price_of)
    if form:
        _print_records([{**named, **record} for record in writes_records(found)], form)
        return
    headings, cells = writes_table(found)
    show(headings, cells, right=range(1, len(headings)))
    say("All that providers wrote to their caches, or read without one. What is not new was paid for once more.")


def _explained(rows: Iterable[DayTotals], money: Money, *, dollars: bool) -> str:
    if not dollars:
        return "Costs are in uncached input tokens of the model that was asked."
    unknown = sorted({row.model or "no name" for row in rows if money.of(row.model) is None})
    left = f" No price is known for {', '.join(unknown)}." if unknown else ""
    return f"Dollars are those of input; answers cost the same with and without Prunus.{left}"


def _print_records(records: Sequence[Mapping[str, Any]], form: str) -> None:
    if form == "json":
        click.echo(json.dumps(records, indent=2))
        return
    names = list(dict.fromkeys(name for record in records for name in record))
    table = csv.DictWriter(sys.stdout, names, lineterminator="\n")
    table.writeheader()
    table.writerows(records)
