"""The first page: what was saved, by which agent and model, and the newest requests as they come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from prunus.dashboard.cache_part import cache_section
from prunus.dashboard.chart import Numbers, chart
from prunus.dashboard.conversations import conversations_table
from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.money import amount
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, page
from prunus.dashboard.requests import SHOWN, requests_table
from prunus.dashboard.sources import Sources
from prunus.dashboard.table import Column, figure, figures, section, table
from prunus.dashboard.wording import asked_again, share, tokens
from prunus.report.periods import Period, periods
from prunus.reuse.experience import Experience
from prunus.spending import DayTotals, summed
from prunus.text.numbers import dollars, short

_CONVERSATIONS: Final = 8
_DAYS: Final = 30
_GROUPS: Final = (
    Column("Name", long=True),
    Column("Requests", number=True),
    Column("Cached", number=True, spare=True),
    Column("Paid", number=True),
    Column("Saved", number=True),
    Column("Share", number=True),
)


def overview_page(request: PageRequest, sources: Sources) -> PageAnswer:
    """Return the overview."""
    store, tenant = sources.store, request.tenant
    today = date.fromtimestamp(sources.clock())
    since = (today - timedelta(_DAYS - 1)).isoformat()
    rows = store.days(tenant, since)
    shadow = not rows
    rows = rows or store.days(tenant, since, shadow=True)
    mark, newest = store.newest_exchanges(tenant, limit=SHOWN)
    figures_now = element(
        "div",
        element("p", _welcome(sources), class_="lead") if not newest else None,
        _period("Today", [row for row in rows if row.day == today.isoformat()], sources),
        _period(f"Last {_DAYS} days", rows, sources, store.totals(tenant, shadow=shadow).experience),
        id="figures",
    )
    said = "In shadow mode nothing is changed: the figures say what pruning would have done."
    return page(
        "Overview",
        element("p", said, class_="lead") if shadow and rows else None,
        figures_now,
        _by_day(rows, today, sources),
        element(
            "div",
            section("By agent", _groups("agent", rows, sources)),
            section("By model", _groups("model", rows, sources)),
            class_="halves",
        ),
        section("By project", _groups("project", rows, sources)) if any(row.project for row in rows) else None,
        cache_section(rows, sources.settings) if rows else None,
        section(
            "Newest requests",
            requests_table(newest, sources),
            note=element("span", "Updates by itself.", id="watching", data_mark=mark, role="status"),
        ),
        section(
            "Newest conversations",
            conversations_table(store.sessions(tenant, _CONVERSATIONS), sources),
            element("p", element("a", "All conversations", href=f"{HOME}conversations")),
        ),
        tab="",
    )


def _welcome(sources: Sources) -> Child:
    if sources.settings.store.url == "off":
        return "The store is off, so there is nothing to show. Set store.url to keep what agents do."
    return [
        "Nothing is stored yet. Start an agent behind Prunus, for example: ",
        element("code", "prunus run claude"),
    ]


def _period(
    title: str, rows: Sequence[DayTotals], sources: Sources, experience: Experience | None = None
) -> Markup:
    total = summed(rows)
    paid = amount(sources.settings, ((row.model, row.cost) for row in rows))
    whole = amount(sources.settings, ((row.model, row.cost_unpruned) for row in rows))
    left_out, prompt = total.tokens_before - total.tokens_after, total.written + total.cache_read
    breaks = f"{total.breaks:,} cache break{'s' * (total.breaks != 1)} by Prunus" if total.breaks else None
    shown = [
        figure(
            "Saved", str(whole - paid), f"{share(total.saved, total.cost_unpruned)} of the input bill", main=True
        ),
        figure("Paid for input", str(paid), f"{whole} without Prunus"),
        figure("Tokens left out", tokens(left_out), f"{share(left_out, total.tokens_before)} of what came"),
        figure("Requests", f"{total.requests:,}", breaks),
        figure("Read from the cache", share(total.cache_read, prompt), "of all input tokens"),
    ]
    if experience is not None:
        shown.append(asked_again(experience.total, " since the store began"))
    return element("div", element("h2", title), figures(*shown, label=title), class_="period")


def _by_day(rows: Sequence[DayTotals], today: date, sources: Sources) -> Markup | None:
    """Return what was paid and saved on each day; None where that is one day only."""
    if len({row.day for row in rows}) < 2:
        return None
    first = date.fromisoformat(min(row.day for row in rows))
    days = [(first + timedelta(n)).isoformat() for n in range((today - first).days + 1)]
    of_day: dict[str, list[DayTotals]] = {day: [] for day in days}
    for row in rows:
        of_day.setdefault(row.day, []).append(row)
    paid = [amount(sources.settings, ((row.model, row.cost) for row in of_day[day])) for day in days]
    whole = [amount(sources.settings, ((row.model, row.cost_unpruned) for row in of_day[day])) for day in days]
    priced = any(one.dollars for one in whole)
    numbers: Numbers = {
        "day": days,
        "paid": [one.dollars if priced else one.cost for one in paid],
        "saved": [(b - a).dollars if priced else (b - a).cost for a, b in zip(paid, whole, strict=True)],
        "unit": ["$" if priced else "tokens"],
    }
    cells = [
        (day, str(a), str(b - a), share(b.cost - a.cost, b.cost))
        for day, a, b in reversed(list(zip(days, paid, whole, strict=True)))
        if b.cost
    ]
    columns = (
        Column("Day"),
        Column("Paid", number=True),
        Column("Saved", number=True),
        Column("Share", number=True),
    )
    return section(
        "By day",
        chart("days", "What was paid and saved on each day", numbers),
        element(
            "details",
            element("summary", "As a table"),
            table("What was paid and saved on each day", columns, cells, empty=""),
        ),
    )


def _groups(by: str, rows: Sequence[DayTotals], sources: Sources) -> Markup:
    """Return a table by agent or by model."""
    cells = [
        (
            period.name,
            f"{period.totals.requests:,}",
            f"{period.cached:.0%}",
            *_costs(period),
            share(period.totals.saved, period.totals.cost_unpruned),
        )
        for period in periods(rows, by, sources.settings.money())
    ]
    return table(f"By {by}", _GROUPS, cells, empty="No request yet.")


def _costs(period: Period) -> tuple[str, str]:
    """Return what was paid and saved, in dollars where a price is known."""
    bill, total = period.bill, period.totals
    if bill is None:
        return f"{short(round(total.cost))} tokens", f"{short(round(total.saved))} tokens"
    return dollars(bill.cost), dollars(bill.saved)
