"""`prunus stats`: show the savings in tokens and money. `prunus analyze` prints the same tables."""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import click

from prunus.cli.options import money_option, own_settings
from prunus.cli.store import empty_message, existing_store, session_of, store_options, tenant_of
from prunus.cli.table import say, show

if TYPE_CHECKING:
    from prunus.schedule.dollars import Money
    from prunus.settings import Settings
    from prunus.spending import DayTotals, Earnings
    from prunus.store import StoredSession, Totals

BY: Final = ("day", "week", "month", "project", "model", "agent", "strategy")


@click.command("stats")
@click.argument("session", required=False)
@click.option("--all", "everything", is_flag=True, help="All sessions together instead of the newest.")
@click.option("--by", type=click.Choice(BY), help="A table of all sessions, with a line for each of these.")
@click.option("--cache", is_flag=True, help="A table that says why tokens were written to prompt caches.")
@click.option("--since", metavar="DAY", help="For these tables: from 2026-01-31, today, 7d, 4w or 3m on.")
@click.option("--csv", "in_csv", is_flag=True, help="These tables as CSV.")
@money_option
@store_options
def command(
    session: str | None,
    everything: bool,
    by: str | None,
    cache: bool,
    since: str | None,
    in_csv: bool,
    money: bool,
    url: str | None,
    tenant: str | None,
    in_json: bool,
) -> None:
    """Show what was saved, in money and tokens.

    Shows the newest session, or the given one, and the sums of all sessions. Savings are net: the cost that the
    session would have had without Prunus, with its own prompt cache, minus its actual cost, which includes cache
    breaks, and minus the cost of content that agents asked for again. The tables of --by, and `prunus sessions`,
    do not subtract that last cost. Dollars come from a table of prices, which the prices in the settings override.

    \b
    Examples:
      prunus stats
      prunus stats 3f9a
      prunus stats --by day --since 30d
      prunus stats --by model --csv > models.csv
      prunus stats --cache
      prunus stats --all --json
    """
    tables = by is not None or cache
    if tables and (session is not None or everything or (by is not None and cache) or (in_csv and in_json)):
        raise click.UsageError("give one of SESSION, --all, --by and --cache, and one of --json and --csv")
    if (since or in_csv) and not tables:
        raise click.UsageError("--since and --csv belong to --by and --cache")
    if session is not None and everything:
        raise click.UsageError("give a session or --all, not both")
    settings = own_settings()
    prices = replace(settings.money(), shown=money)
    form = "json" if in_json else "csv" if in_csv else ""
    if tables:
        _show_tables(by, since, prices, settings, form, url, tenant)
    else:
        _show_box(session, everything, prices, settings, url, tenant, in_json)


def _show_tables(
    by: str | None,
    since: str | None,
    prices: Money,
    settings: Settings,
    form: str,
    url: str | None,
    tenant: str | None,
) -> None:
    """Print one of the tables over all sessions."""
    from prunus.report.spending import since_day

    day = since_day(since, date.today())
    with existing_store(url) as store:
        rows: list[DayTotals] = []
        if store is not None:
            name = tenant_of(store, tenant)
            rows = store.days(name, day)
            if shadow := not rows:
                rows = store.days(name, day, shadow=True)
        if store is None or not rows:
            nothing = f"Nothing since {day}." if day and store is not None else empty_message(url)
            say("[]" if form == "json" else nothing, err=form == "csv")
            return
        if shadow and not form:
            say("Shadow: nothing was changed; the numbers say what pruning would have done.\n")
        if by == "strategy":
            begin = time.mktime(date.fromisoformat(day).timetuple()) if day else 0.0
            show_earnings(store.earnings(name, begin, shadow=shadow), prices, form)
        elif by is not None:
            show_periods(rows, by, prices, form)
        else:
            show_misses({"": rows}, prices, settings, form)


def show_periods(rows: Sequence[DayTotals], by: str, money: Money, form: str) -> None:
    """Print the sums of each day, week, month, project, model or agent."""
    from prunus.report.bill import bill_of
    from prunus.report.spending import Period, flat_records, period_records, period_table, periods
    from prunus.spending import summed

    found = periods(rows, by, money)
    if form:
        records = period_records(found, by)
        _print_records(records if form == "json" else flat_records(records), form)
        return
    dollars = any(one.bill.priced for one in found)
    headings, cells = period_table(found, by, money=dollars)
    if len(found) > 1:
        whole = Period("all", summed(rows), bill_of(rows, money))
        cells += period_table([whole], by, money=dollars)[1]
    show(headings, cells, right=range(1, len(headings)), flexible=(0,))
    say(_explained(rows, money, dollars=dollars))


def show_earnings(earned: Iterable[Earnings], money: Money, form: str) -> None:
    """Print what each strategy cut, earned and lost."""
    from prunus.report.spending import strategy_records, strategy_table

    every = list(earned)
    records = strategy_records(every, money)
    if form:
        _print_records(records, form)
        return
    headings, cells = strategy_table(records, money=money.shown)
    show(headings, cells, right=range(1, len(headings)))
    shared = "Savings are shared out by the tokens that each strategy kept out of requests, less its cache breaks."
    say(shared + _without_price((one.model for one in every), money))


def show_misses(groups: Mapping[str, Iterable[DayTotals]], money: Money, settings: Settings, form: str) -> None:
    """Print why tokens were written to prompt caches, a table for each policy; an empty name is not printed."""
    from prunus.report.cache_misses import writes, writes_table

    found = {policy: writes(rows, money, settings.price_of) for policy, rows in groups.items()}
    if form:
        _print_records(
            [
                {**({"policy": policy} if policy else {}), **asdict(one)}
                for policy, table in found.items()
                for one in table
            ],
            form,
        )
        return
    for policy, table in found.items():
        if policy:
            click.echo(f"{policy}:")
        headings, cells = writes_table(table)
        show(headings, cells, right=range(1, len(headings)))
    say("All that providers wrote to their caches, or read without one. What is not new was paid for once more.")


def _explained(rows: Iterable[DayTotals], money: Money, *, dollars: bool) -> str:
    if not dollars:
        return "Costs are in uncached input tokens of the model that was asked."
    said = "Dollars are those of input; answers cost the same with and without Prunus."
    return said + _without_price((row.model for row in rows), money)


def _without_price(models: Iterable[str], money: Money) -> str:
    """Return a sentence on the models that dollars leave out; empty if there are none, or no dollars are shown."""
    unknown = sorted({model or "no name" for model in models if money.of(model) is None}) if money.shown else []
    return f" No price is known for {', '.join(unknown)}." if unknown else ""


def _print_records(records: Sequence[Mapping[str, Any]], form: str) -> None:
    if form == "json":
        click.echo(json.dumps(records, indent=2))
        return
    names = list(dict.fromkeys(name for record in records for name in record))
    table = csv.DictWriter(sys.stdout, names, lineterminator="\n")
    table.writeheader()
    table.writerows(records)


def _show_box(
    session: str | None,
    everything: bool,
    prices: Money,
    settings: Settings,
    url: str | None,
    tenant: str | None,
    in_json: bool,
) -> None:
    """Print the numbers of one session, and of all."""
    from prunus.report.bill import Bill, bill_of, cost_of_asking
    from prunus.report.funnel import funnel_of_all
    from prunus.report.totals_box import agents_record, learned_lines, stats_box, totals_record

    def billed(totals: Totals, rows: Sequence[DayTotals]) -> Bill:
        return bill_of(rows, prices, cost_of_asking(totals, rows, settings.price_of))

    with existing_store(url) as store:
        sessions = store.sessions(name := tenant_of(store, tenant), 1) if store is not None else []
        if store is None or not (sessions or store.totals(name).requests):
            say("{}" if in_json else empty_message(url))
            return
        shown = None
        if sessions and not everything:
            shown = sessions[0] if session is None else session_of(store, name, session)
        real = store.totals(name)
        in_shadow = store.totals(name, shadow=True)
        shadow = shown.shadow if shown is not None else not real.requests and in_shadow.requests > 0
        ever = in_shadow if shadow else real
        one = store.totals(name, shown.id, shadow=shadow) if shown is not None else None
        every = store.contexts(name)
        newest = store.contexts(name, shown.id) if shown is not None else []
        agents = store.experiences(name)
        bill = billed(one, store.bills(name, shown.id, shadow=shadow)) if shown and one else Bill()
        bills = {
            kind: billed(sums, store.days(name, shadow=kind)) for kind, sums in ((False, real), (True, in_shadow))
        }
    allowed = settings.allowed_asks()
    funnel = funnel_of_all(
        newest if shown is not None else [context for context in every if context.shadow == shadow]
    )
    room, words = _headroom(shown, settings) if shown is not None else ({}, "")
    if in_json:
        funnels = {kind: funnel_of_all(one for one in every if one.shadow == kind) for kind in (False, True)}
        own = {} if shown is None or one is None else totals_record(one, funnel, bill)
        record = {
            "session": {"id": shown.id, "shadow": shadow, **own, **room} if shown is not None else None,
            "all": totals_record(real, funnels[False], bills[False]),
            "agents": agents_record(agents, allowed),
            "shadow": totals_record(in_shadow, funnels[True], bills[True]),
        }
        click.echo(json.dumps(record, indent=2))
        return
    about = "" if shown is None else ", ".join(filter(None, (shown.id, shown.client, shown.model)))
    learned = list(learned_lines(agents, allowed)) if allowed is not None and not shadow else []
    box = stats_box(
        one, ever, about, shadow=shadow, funnel=funnel, learned=learned, bill=bill, bill_ever=bills[shadow]
    )
    say("\n\n".join(filter(None, (box, words))))


def _headroom(session: StoredSession, settings: Settings) -> tuple[dict[str, int], str]:
    """Return the tokens that the newest request leaves before a summary is due, as data and as text."""
    from prunus.schedule.budget import headroom

    window, budget = settings.window_of(session.model), settings.active_budget()
    used = session.tokens_before if session.shadow else session.tokens_after
    total = budget.total(window)
    return {"budget": total, "headroom": total - used}, headroom(used, window, budget)
