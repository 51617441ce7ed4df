"""Sections that several pages share: charts, the writes to the prompt cache, and what fills a context.

The server puts the numbers of a chart into the page, and our script draws them with uPlot. Each chart has a table
with the same numbers on its page, for those who cannot see it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from prunus.conversations.context import Context
from prunus.dashboard.markup import Markup, element
from prunus.dashboard.shapes import bar, section, table, tokens
from prunus.report.bill import Amount, amount_of
from prunus.report.cache_misses import REASONS, writes
from prunus.report.context_note import context_note
from prunus.report.funnel import Funnel, funnel_of, funnel_steps
from prunus.schedule.budget import headroom
from prunus.schedule.dollars import Money
from prunus.schedule.priorities import PRIORITIES
from prunus.settings import Settings
from prunus.spending import DayTotals
from prunus.store.records import Exchange, StoredSession
from prunus.text.numbers import dollars, percent, short

Numbers = Mapping[str, Sequence[Any]]
_STEPS: Final = ("raw context", "superseded", "asked for", "pruned", "ids and reminders", "active context")


def chart(kind: str, label: str, numbers: Numbers) -> Markup:
    """Return the place of a chart; `kind` is the name of the function that draws it."""
    return element(
        "div", class_="chart", role="img", aria_label=label, data_kind=kind, data_numbers=json.dumps(numbers)
    )


def paid_and_unpruned(one: Exchange, money: Money) -> tuple[Amount, Amount]:
    """Return what a request cost, and what it would have cost without pruning."""
    return amount_of([(one.model, one.cost)], money), amount_of([(one.model, one.cost_unpruned)], money)


def request_numbers(exchanges: Sequence[Exchange], money: Money) -> Numbers:
    """Return a column of numbers for each kind of tokens of requests, all answered, and the flushes among them."""
    usages = [one.usage for one in exchanges if one.usage is not None]
    return {
        "request": [one.request for one in exchanges],
        "cached": [usage.cache_read for usage in usages],
        "written": [usage.cache_write for usage in usages],
        "new": [usage.input for usage in usages],
        "unpruned": [one.tokens_before for one in exchanges],
        "missed": [
            f"{short(one.missed)}: {REASONS.get(one.missed_for, one.missed_for)}" if one.missed_for else None
            for one in exchanges
        ],
        "flush": [
            None
            if one.flush is None
            else f"{one.flush.reason} ({amount_of([(one.model, one.cost_of_break)], money).exact})"
            for one in exchanges
        ],
    }


def cache_section(rows: Iterable[DayTotals], settings: Settings) -> Markup:
    """Return the section about what the provider had to write: new messages, and what it missed."""
    found = writes(rows, settings.money(), settings.price_of)
    whole = sum(one.tokens for one in found)
    title = "Why tokens were written to the cache"
    shown = table(
        title,
        found,
        (
            ("Written because", "", lambda one: REASONS[one.reason]),
            ("Requests", "number spare", lambda one: f"{one.requests:,}"),
            ("Tokens", "number", lambda one: tokens(one.tokens)),
            ("Share", "number", lambda one: percent(one.tokens, whole)),
            ("Price", "number", lambda one: "-" if one.dollars is None else dollars(one.dollars)),
            (
                "Of all that was written",
                "spare long",
                lambda one: bar(one.tokens, whole, f"{REASONS[one.reason]}: {percent(one.tokens, whole)}"),
            ),
        ),
        empty="Nothing was written yet.",
    )
    note = element("span", "By the provider's own count. What is not new was in the cache, or should have been.")
    return section(title, shown, note=note)


def sums_of(exchanges: Sequence[Exchange]) -> Iterator[DayTotals]:
    """Yield what requests read from the cache and wrote to it, by model and by the reason of a miss."""
    groups: dict[tuple[str, str], list[Exchange]] = {}
    for one in exchanges:
        groups.setdefault((one.model, one.missed_for), []).append(one)
    for (model, why), group in groups.items():
        usages = [one.usage for one in group if one.usage is not None]
        yield DayTotals(
            "",
            model=model,
            missed_for=why,
            requests=len(group),
            input=sum(usage.input for usage in usages),
            cache_read=sum(usage.cache_read for usage in usages),
            cache_write=sum(usage.cache_write for usage in usages),
            missed=sum(one.missed for one in group),
        )


def context_section(session: StoredSession, known: Context | None, settings: Settings) -> Markup:
    """Return the section about the newest request of a conversation."""
    window, budget = settings.window_of(session.model), settings.active_budget()
    used = session.tokens_before if session.shadow else session.tokens_after
    level = settings.active_pressure().level(used, window)
    lead = [
        element("p", f"{used:,} of {window:,} tokens ({percent(used, window)}); pressure is {level}."),
        bar(used, window, f"{percent(used, window)} of the model's window", level),
        element("p", headroom(used, window, budget), class_="note"),
    ]
    if known is None:
        empty = element("p", "What fills the context was not counted for this conversation.", class_="empty")
        return section("Context of the newest request", lead, empty)
    allowed = {str(name): tokens for name, tokens in budget.allowed(window).items()}
    notes = {str(name): words for name, words in PRIORITIES.items()}
    funnel = funnel_of(known.before, known.after, known.strategies)
    if note := context_note(session, known):
        lead.append(element("p", note, class_="note"))
    return section(
        "Context of the newest request",
        lead,
        element(
            "div",
            _bars("By category, and its budget", _shares(known.categories, allowed)),
            _bars("By priority", _shares(known.priorities, {}), notes),
            _bars("The funnel", _steps(funnel)),
            class_="columns",
        ),
    )


def _bars(title: str, rows: Iterable[tuple[str, str, Markup]], notes: Mapping[str, str] | None = None) -> Markup:
    """Return a list of names, each with its words and its bar; a note shows when the mouse is over a name."""
    lines = [
        element(
            "div",
            element("dt", name, title=(notes or {}).get(name)),
            element("dd", words, class_="number"),
            element("dd", drawn),
        )
        for name, words, drawn in rows
    ]
    return element("div", element("h3", title), element("dl", lines, class_="bars"))


def _shares(rows: Mapping[str, int], allowed: Mapping[str, int]) -> Iterator[tuple[str, str, Markup]]:
    most = max((*rows.values(), 1))
    for name, count in rows.items():
        limit = allowed.get(name)
        words = f"{short(count)} of {short(limit)}" if limit is not None else short(count)
        yield name, words, bar(count, most if limit is None else limit, f"{name}: {words} tokens")


def _steps(funnel: Funnel) -> Iterator[tuple[str, str, Markup]]:
    for name, signed, count in funnel_steps(funnel, _STEPS):
        words = f"{signed} ({percent(count, funnel.raw)})"
        yield name, words, bar(count, funnel.raw, f"{name}: {count:,} tokens", "less" if signed[0] == "-" else "")
