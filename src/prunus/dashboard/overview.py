"""The first page: what was saved, by which agent and model, and the newest requests as they come."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Final

from prunus.dashboard.conversations import conversations_table
from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, Sources, page
from prunus.dashboard.sections import Numbers, cache_section, chart, paid_and_unpruned
from prunus.dashboard.shapes import (
    asked_again,
    conversation_path,
    figure,
    figures,
    section,
    share,
    table,
    tokens,
)
from prunus.report.bill import bill_of
from prunus.report.cache_misses import REASONS
from prunus.report.spending import periods
from prunus.reuse.asked_again import Experience
from prunus.spending import DayTotals, summed
from prunus.store.records import Exchange
from prunus.text.numbers import counted, short
from prunus.text.printable import printable

_CONVERSATIONS: Final = 8
_DAYS: Final = 30
_EXPECTED: Final = ("", "first", "cut")
"""The reasons of cache misses that need no remark."""
SHOWN: Final = 20
"""Requests that the list shows."""


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
    bill = bill_of(rows, sources.settings.money())
    left_out, prompt = total.tokens_before - total.tokens_after, total.written + total.cache_read
    breaks = f"{counted(total.breaks, 'cache break')} by Prunus" if total.breaks else None
    shown = [
        figure("Saved", str(bill.saved), f"{share(total.saved, total.cost_unpruned)} of the input bill", main=True),
        figure("Paid for input", str(bill.paid), f"{bill.unpruned} without Prunus"),
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
    bills = [bill_of(of_day[day], sources.settings.money()) for day in days]
    priced = any(bill.priced for bill in bills)
    numbers: Numbers = {
        "day": days,
        "paid": [bill.paid.dollars if priced else bill.paid.cost for bill in bills],
        "saved": [bill.saved.dollars if priced else bill.saved.cost for bill in bills],
        "unit": ["$" if priced else "tokens"],
    }
    paid_days = [(day, bill) for day, bill in zip(days, bills, strict=True) if bill.unpruned.cost]
    rows_by_day = table(
        "What was paid and saved on each day",
        reversed(paid_days),
        (
            ("Day", "", lambda row: row[0]),
            ("Paid", "number", lambda row: str(row[1].paid)),
            ("Saved", "number", lambda row: str(row[1].saved)),
            ("Share", "number", lambda row: share(row[1].saved.cost, row[1].unpruned.cost)),
        ),
        empty="",
    )
    return section(
        "By day",
        chart("days", "What was paid and saved on each day", numbers),
        element("details", element("summary", "As a table"), rows_by_day),
    )


def _groups(by: str, rows: Sequence[DayTotals], sources: Sources) -> Markup:
    """Return a table by agent or by model."""
    return table(
        f"By {by}",
        periods(rows, by, sources.settings.money()),
        (
            ("Name", "long", lambda period: period.name),
            ("Requests", "number", lambda period: f"{period.totals.requests:,}"),
            ("Cached", "number spare", lambda period: f"{period.cached:.0%}"),
            ("Paid", "number", lambda period: str(period.bill.paid)),
            ("Saved", "number", lambda period: str(period.bill.saved)),
            ("Share", "number", lambda period: share(period.totals.saved, period.totals.cost_unpruned)),
        ),
        empty="No request yet.",
    )


def requests_table(found: Sequence[Exchange], sources: Sources) -> Markup:
    """Return the table that a script of ours keeps up to date."""
    (title, kind, clock), *others = _columns(sources)

    def link(exchange: Exchange) -> Markup:
        return element("a", clock(exchange), href=conversation_path(exchange.conversation))

    columns = ((title, kind, link), *others)
    return table("The newest requests", found, columns, empty="No request yet.", id="live")


def live_events(mark: int, found: Sequence[Exchange], sources: Sources) -> bytes:
    """Return the newest exchanges as one server-sent event; its id is the mark to go on from."""
    columns = _columns(sources)
    rows = [
        {
            "to": conversation_path(exchange.conversation),
            "cells": [printable(cell(exchange)) for _, _, cell in columns],
        }
        for exchange in reversed(found)
    ]
    # JSON in ASCII has no line break, which would end the event.
    return f"id: {mark}\ndata: {json.dumps(rows)}\n\n".encode("ascii")


def _columns(sources: Sources) -> tuple[tuple[str, str, Callable[[Exchange], str]], ...]:
    """Return the columns of the newest requests; a script writes their cells too, so they are plain text."""
    money = sources.settings.money()

    def cached(one: Exchange) -> str:
        usage = one.usage
        return share(usage.cache_read, usage.prompt) if usage else ""

    def saved(one: Exchange) -> str:
        paid, whole = paid_and_unpruned(one, money)
        return (whole - paid).exact if one.cost_unpruned else ""

    return (
        ("Time", "", lambda one: time.strftime("%H:%M:%S", time.localtime(one.time))),
        ("Agent", "spare", lambda one: one.client or "-"),
        ("Model", "", lambda one: one.model or "-"),
        ("Tokens", "number spare", lambda one: short(one.tokens_before) if one.tokens_before else ""),
        ("Sent", "number", lambda one: short(one.tokens_after) if one.tokens_after else ""),
        ("Cached", "number spare", cached),
        ("Cost", "number", lambda one: paid_and_unpruned(one, money)[0].exact if one.cost else ""),
        ("Saved", "number", saved),
        ("Remarks", "spare long", _said),
    )


def _said(exchange: Exchange) -> str:
    """Return remarks on what is unusual about a request."""
    why = REASONS.get(exchange.missed_for, exchange.missed_for)
    remarks = (
        f"status {exchange.status}" if not 200 <= exchange.status < 300 else "",
        "shadow" if exchange.shadow else "",
        "keep-alive" if exchange.keep_alive else "",
        "no time to prune" if exchange.behind else "",
        "sent unchanged after a fault" if exchange.error else "",
        f"flush: {exchange.flush.reason}" if exchange.flush is not None else "",
        f"missed {short(exchange.missed)} in the cache: {why}" if exchange.missed_for not in _EXPECTED else "",
    )
    return ", ".join(filter(None, remarks))
