"""What fills the context of a conversation: categories with their budget, priorities, and the funnel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prunus.conversations.context import Context
from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.table import bar, section
from prunus.report.funnel import Funnel, funnel_of_all
from prunus.schedule.budget import headroom
from prunus.schedule.priorities import PRIORITIES
from prunus.settings import Settings
from prunus.store.records import StoredSession
from prunus.text.numbers import percent, short


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
    funnel = funnel_of_all([known])
    return section(
        "Context of the newest request",
        lead,
        element(
            "div",
            _bars("By category, and its budget", known.categories, allowed),
            _bars("By priority", known.priorities, {}, notes={str(k): v for k, v in PRIORITIES.items()}),
            _funnel(funnel) if funnel is not None else None,
            class_="columns",
        ),
    )


def _bars(
    title: str, rows: Mapping[str, int], allowed: Mapping[str, int], notes: Mapping[str, str] | None = None
) -> Markup:
    most = max((*rows.values(), 1))
    return element(
        "div",
        element("h3", title),
        element("dl", list(_rows(rows, allowed, most, notes or {})), class_="bars"),
    )


def _rows(
    rows: Mapping[str, int], allowed: Mapping[str, int], most: int, notes: Mapping[str, str]
) -> Iterator[Child]:
    for name, tokens in rows.items():
        limit = allowed.get(name)
        words = f"{short(tokens)} of {short(limit)}" if limit is not None else short(tokens)
        yield element(
            "div",
            element("dt", name, title=notes.get(name)),
            element("dd", words, class_="number"),
            element("dd", bar(tokens, most if limit is None else limit, f"{name}: {words} tokens")),
        )


def _funnel(funnel: Funnel) -> Markup:
    steps = [
        ("raw context", funnel.raw, ""),
        ("superseded", funnel.auto_supersede, "-"),
        ("asked for", funnel.manual, "-"),
        ("pruned", funnel.auto_prune, "-"),
        *([("ids and reminders", funnel.added, "+")] if funnel.added > 0 else []),
        ("active context", funnel.active, ""),
    ]
    rows = [
        element(
            "div",
            element("dt", name),
            element("dd", f"{sign if count else ''}{short(count)} ({percent(count, funnel.raw)})", class_="number"),
            element("dd", bar(count, funnel.raw, f"{name}: {count:,} tokens", "less" if sign == "-" else "")),
        )
        for name, count, sign in steps
    ]
    return element("div", element("h3", "The funnel"), element("dl", rows, class_="bars"))
