"""The report of `prunus analyze` as sentences and tables, which the terminal and the web page both show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from prunus.lab.analysis import (
    LEVEL,
    File,
    SessionResult,
    Total,
    by_agent,
    in_dollars,
    least,
    lost_events,
    share,
    strategies,
    total,
)
from prunus.lab.levels import levels_in_words, policies
from prunus.lab.page import PageSection
from prunus.schedule.dollars import Money
from prunus.schedule.prices import DEFAULT
from prunus.text.numbers import counted, dollars


@dataclass(frozen=True, slots=True)
class Findings:
    """The report below its first line."""

    headline: str
    sections: tuple[PageSection, ...]
    notes: tuple[str, ...]
    """Notes that explain the numbers."""


def findings_of(rows: Sequence[SessionResult], money: Money, level: str = LEVEL) -> Findings:
    """Return the report on these sessions, which were replayed at this level."""
    headline = f"{_headline(rows, money)} {levels_in_words(rows, money, level)}".rstrip()
    return Findings(headline, (policies(rows, money, level), *_sections(rows, money)), _notes(rows, money, level))


def _headline(rows: Sequence[SessionResult], money: Money) -> str:
    """Return the result in two or three sentences, in dollars where prices are known."""
    everything = total(rows)
    if (paid := _in_dollars(rows, money)) is not None:
        return f"{paid} {_loss_in_words(rows, everything)}"
    cost = share(everything.cost, everything.unpruned)
    sent = share(everything.tokens, everything.unpruned_tokens)
    gained = f"saved {1 - cost:.1%} of" if cost <= 1 else f"added {cost - 1:.1%} to"
    fewer = f"{1 - sent:.1%} fewer" if sent <= 1 else f"{sent - 1:.1%} more"
    said = (
        f"Prunus would have {gained} the cost of input and sent {fewer} tokens: "
        f"{everything.unpruned:,.0f} to {everything.cost:,.0f} in units of uncached input tokens."
    )
    return f"{said} {_loss_in_words(rows, everything)}"


def _in_dollars(rows: Sequence[SessionResult], money: Money) -> str | None:
    """Return what the sessions cost and what Prunus would have saved; None if no price is known."""
    priced = [(price, row.total) for row in rows if (price := money.of(row.model)) is not None]
    unpruned = sum(price * one.unpruned for price, one in priced)
    if not unpruned:
        return None
    saved = unpruned - sum(price * one.cost for price, one in priced)
    everything = total(rows)
    used, kept = everything.hard + everything.soft, everything.hard_kept + everything.in_place
    gained = f"saved {dollars(saved)}" if saved >= 0 else f"added {dollars(-saved)}"
    known = "" if len(priced) == len(rows) else f" ({counted(len(rows) - len(priced), 'session')} without a price)"
    said = (
        f"{_period(rows)}: {dollars(unpruned)} of input{known}; Prunus would have {gained} ({saved / unpruned:.0%})"
    )
    if used:
        said += f"; {kept / used:.1%} of what the agents used later stayed in view"
    return f"{said}."


def _period(rows: Sequence[SessionResult]) -> str:
    """Return the time of the sessions in words."""
    times = [time for row in rows for time in (row.first, row.last) if time is not None]
    if not times:
        return counted(len(rows), "session")
    first, last = (date.fromtimestamp(time) for time in (min(times), max(times)))
    days = (date.today() - first).days + 1
    if days <= 31:
        return f"Your last {days} days" if days > 1 else "Today"
    return f"{first} to {last}" if first != last else str(first)


def _loss_in_words(rows: Sequence[SessionResult], everything: Total) -> str:
    """Return how often an agent would have missed what was cut, and the cost if that is counted too."""
    if not everything.lost:
        return "No answer edited lines that were cut."
    effective = share(everything.effective, everything.unpruned)
    rate = lost_events(rows)
    return (
        f"In {rate.value:.1f} of 1,000 requests ({rate.low:.1f} to {rate.high:.1f}) the answer edited lines that "
        f"were cut; had the agent read them again each time, the cost would be {effective:.3f} of not pruning."
    )


def _dollars(rows: Sequence[SessionResult], money: Money, field: str) -> str:
    """Return a cost in dollars of the sessions with a known price, or a dash if there are none."""
    paid = in_dollars(rows, money, lambda row: float(getattr(row.total, field)))
    return "-" if paid is None else dollars(paid)


def scope(found: Sequence[File], everything: Total, took: float, older: int) -> str:
    """Return one line on the number of replayed sessions, and on sessions left out."""
    unreadable = sum(bool(one.failure) for one in found)
    damaged = sum(bool(one.skipped) for one in found)
    said = (
        f"{counted(everything.sessions, 'session')} in {counted(len(found), 'file')}, "
        f"{counted(everything.requests, 'request')}, replayed in {took:.1f} s"
    )
    if unreadable:
        said += f"; {counted(unreadable, 'file')} unreadable"
    if damaged:
        records = sum(one.skipped for one in found)
        said += f"; {counted(records, 'damaged record')} skipped in {counted(damaged, 'file')}"
    copies = sum(one.copies for one in found)
    if everything.copied or copies:
        said += "; what resumed sessions repeat is counted once"
        if copies:
            said += f" ({counted(copies, 'session')} left out)"
    if older:
        said += f"; {counted(older, 'older file')} left out (--limit)"
    return said


def _has_money(rows: Sequence[SessionResult], money: Money) -> bool:
    """Return whether a dollar price of some session is known."""
    return any(money.of(row.model) is not None for row in rows)


def _sections(rows: Sequence[SessionResult], money: Money) -> tuple[PageSection, ...]:
    """Return the tables of the report."""
    agents = by_agent(rows)
    groups = {**agents, "all": total(rows)} if len(agents) > 1 else agents
    members = {name: [row for row in rows if name in (row.agent, "all")] for name in groups}
    paid = ("$ before" if _has_money(rows, money) else "cost before", "after")
    return (
        PageSection(
            "By agent",
            ("agent", "sessions", "requests", "tokens before", "after", *paid, "cost"),
            tuple(_sums(name, one, members[name], money) for name, one in groups.items()),
            "Cost is a share of not pruning"
            + ("." if _has_money(rows, money) else ", before and after are in uncached input tokens."),
        ),
        PageSection(
            "Loss",
            ("agent", "lost", "per 1,000 requests", "effective cost", "hard", "soft"),
            tuple(_loss(name, one, members[name]) for name, one in groups.items()),
            "Lost are requests whose answer edits lines that were cut, with a 95 % interval over sessions; "
            "effective cost counts one more request for each part that must then be read again. Hard and soft "
            "are shares of what later calls used and was still shown: lines and files; names in a line as it was, "
            "or in a path.",
        ),
        PageSection(
            "Prompt cache",
            ("agent", "cached before", "after", "breaks", "per 100 requests"),
            tuple(_cache(name, one) for name, one in groups.items()),
            "Cached are shares of the tokens sent. Breaks are those of a warm cache that Prunus causes.",
        ),
        PageSection(
            "By strategy",
            ("strategy", "edits", "tokens", "in all requests", "saved"),
            _by_strategy(rows, money),
            "Edits in the last request of each session and the tokens that they keep out of it; tokens that were "
            "kept out of all requests; what that saved, breaks of the cache paid, "
            + ("in dollars." if _has_money(rows, money) else "in uncached input tokens."),
        ),
        PageSection(
            "Gained least",
            ("session", "agent", "model", "requests", "tokens before", "saved", "cost"),
            _gained_least(rows, money),
        ),
    )


def _by_strategy(rows: Sequence[SessionResult], money: Money) -> tuple[tuple[str, ...], ...]:
    lines = []
    for name, effect in strategies(rows).items():
        saved = f"{effect.saved:,.0f}"
        if _has_money(rows, money):
            found = [row for row in rows if name in row.strategies]
            known = in_dollars(found, money, partial(_saved_by, name))
            saved = "-" if known is None else dollars(known)
        lines.append((name, f"{effect.edits:,}", f"{effect.tokens:,}", f"{effect.kept:,}", saved))
    return tuple(lines)


def _saved_by(strategy: str, row: SessionResult) -> float:
    return row.strategies[strategy].saved


def _gained_least(rows: Sequence[SessionResult], money: Money) -> tuple[tuple[str, ...], ...]:
    lines = []
    for row in least(rows):
        saved, price = row.total.unpruned - row.total.cost, money.of(row.model)
        said = "-" if price is None else dollars(saved * price) if _has_money(rows, money) else f"{saved:,.0f}"
        lines.append(
            (
                row.session,
                row.agent,
                row.model or "-",
                f"{row.total.requests:,}",
                f"{row.total.unpruned_tokens:,}",
                said,
                f"{share(row.total.cost, row.total.unpruned):.3f}",
            )
        )
    return tuple(lines)


def _sums(name: str, one: Total, rows: Sequence[SessionResult], money: Money) -> tuple[str, ...]:
    paid = (f"{one.unpruned:,.0f}", f"{one.cost:,.0f}")
    if _has_money(rows, money):
        paid = (_dollars(rows, money, "unpruned"), _dollars(rows, money, "cost"))

    return (
        name,
        f"{one.sessions:,}",
        f"{one.requests:,}",
        f"{one.unpruned_tokens:,}",
        f"{one.tokens:,}",
        *paid,
        f"{share(one.cost, one.unpruned):.3f}",
    )


def _loss(name: str, one: Total, rows: Sequence[SessionResult]) -> tuple[str, ...]:
    return (
        name,
        f"{one.lost:,}",
        str(lost_events(rows)),
        f"{share(one.effective, one.unpruned):.3f}",
        f"{share(one.hard_kept, one.hard):.3f}" if one.hard else "-",
        f"{share(one.in_place, one.soft):.3f}" if one.soft else "-",
    )


def _cache(name: str, one: Total) -> tuple[str, ...]:
    return (
        name,
        f"{share(one.unpruned_cached, one.unpruned_tokens):.1%}",
        f"{share(one.cached, one.tokens):.1%}",
        f"{one.breaks:,}",
        f"{100 * share(one.breaks, one.requests):.1f}",
    )


def _notes(rows: Sequence[SessionResult], money: Money, level: str) -> tuple[str, ...]:
    """Return notes that explain the numbers."""
    notes = [
        f'Replayed with preset = "auto", level = "{level}".',
        "Answers are not counted: they cost the same either way. Each session is paid by its model's cache prices.",
        _counting(rows),
        f"`prunus replay --policy {level} --prices own` gives the same cost, and compares it with other policies.",
    ]
    without = sorted({row.model or "no name" for row in rows if money.of(row.model) is None})
    if money.shown and without:
        notes.append(
            f"No dollar price is known for {', '.join(without)}: sums of dollars leave them out. "
            "Give --input-price MODEL=USD (per million tokens), or prices in the settings."
        )
    hours = sum(bool(row.lifetime) for row in rows)
    if hours:
        notes.append(f"{counted(hours, 'session')} cached for an hour, as recorded, at that write's price.")
    unknown = sorted({row.model or "no name" for row in rows if not row.known})
    if unknown:
        notes.append(
            f"No price is known for {', '.join(unknown)}: read {DEFAULT.read:g}, write {DEFAULT.write:g} assumed."
        )
    everything = total(rows)
    if everything.refused:
        notes.append(f"{counted(everything.refused, 'request')} could not be pruned and went out unchanged.")
    if everything.invalid:
        notes.append(f"{counted(everything.invalid, 'pruned request')} would be refused: please report this.")
    return tuple(notes)


def _counting(rows: Sequence[SessionResult]) -> str:
    """Return how tokens are counted."""
    billed = sum(row.billed for row in rows)
    if billed == len(rows):
        return "Tokens are counted as the provider counted them, system text and tools included."
    if not billed:
        return "Tokens are estimates; system text and tools count only where the agent recorded them."
    return (
        f"In {counted(billed, 'session')} tokens are counted as the provider counted them, system text and tools "
        "included; in the others they are estimates, and count those only where the agent recorded them."
    )
