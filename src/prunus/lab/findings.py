"""The report of `prunus analyze` as sentences and tables, which the terminal and the web page both show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from prunus.lab.analysis import (
    LEVEL,
    RIVALS,
    SessionResult,
    by_agent,
    in_dollars,
    least,
    lost_events,
    share,
    strategies,
    total,
)
from prunus.lab.page import PageSection
from prunus.lab.run import Measurement
from prunus.schedule.dollars import Money
from prunus.schedule.prices import DEFAULT
from prunus.settings.presets import LEVELS
from prunus.text.numbers import counted, dollars

Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The report below its first line."""

    headline: str
    sections: tuple[PageSection, ...]
    notes: tuple[str, ...]
    """Notes that explain the numbers."""


def findings_of(rows: Sequence[SessionResult], money: Money, level: str = LEVEL) -> Findings:
    """Return the report on these sessions, which were replayed at this level."""
    report = _Report(rows, money, level)
    sections = (report.policies(), *report.sections())
    return Findings(report.headline(), sections, report.notes())


class _Report:
    """Sessions that were replayed at one level, and their sums."""

    def __init__(self, rows: Sequence[SessionResult], money: Money, level: str) -> None:
        self._rows, self._money, self._level = rows, money, level
        self._total = total(rows)
        self._priced = any(money.of(row.model) is not None for row in rows)
        """Whether a dollar price of some session is known."""

    def headline(self) -> str:
        """Return the result in a few sentences, in dollars where prices are known."""
        levels = [f"{name} saves {self._saved(name)}" for name in LEVELS if self._known(name)]
        by_level = f" By level: {', '.join(levels)}." if len(levels) > 1 else ""
        return f"{self._in_dollars() or self._in_tokens()} {self._loss_in_words()}{by_level}"

    def _in_tokens(self) -> str:
        sums = self._total
        cost, sent = share(sums.cost, sums.unpruned), share(sums.tokens, sums.unpruned_tokens)
        gained = f"saved {1 - cost:.1%} of" if cost <= 1 else f"added {cost - 1:.1%} to"
        fewer = f"{1 - sent:.1%} fewer" if sent <= 1 else f"{sent - 1:.1%} more"
        return (
            f"Prunus would have {gained} the cost of input and sent {fewer} tokens: "
            f"{sums.unpruned:,.0f} to {sums.cost:,.0f} in units of uncached input tokens."
        )

    def _in_dollars(self) -> str:
        """Return what the sessions cost and what Prunus would have saved; empty if no price is known."""
        unpruned = in_dollars(self._rows, self._money, lambda row: row.unpruned)
        paid = in_dollars(self._rows, self._money, lambda row: row.cost)
        if not unpruned or paid is None:
            return ""
        saved = unpruned - paid
        used, kept = self._total.hard + self._total.soft, self._total.hard_kept + self._total.in_place
        gained = f"saved {dollars(saved)}" if saved >= 0 else f"added {dollars(-saved)}"
        unknown = sum(self._money.of(row.model) is None for row in self._rows)
        left_out = f" ({counted(unknown, 'session')} without a price)" if unknown else ""
        said = (
            f"{self._period()}: {dollars(unpruned)} of input{left_out}; Prunus would have {gained} "
            f"({saved / unpruned:.0%})"
        )
        if used:
            said += f"; {kept / used:.1%} of what the agents used later stayed in view"
        return f"{said}."

    def _period(self) -> str:
        """Return the time of the sessions in words."""
        times = [time for row in self._rows for time in (row.first, row.last) if time is not None]
        if not times:
            return counted(len(self._rows), "session")
        first, last = (date.fromtimestamp(time) for time in (min(times), max(times)))
        days = (date.today() - first).days + 1
        if days <= 31:
            return f"Your last {days} days" if days > 1 else "Today"
        return f"{first} to {last}" if first != last else str(first)

    def _loss_in_words(self) -> str:
        """Return how often an agent would have missed what was cut, and the cost if that is counted too."""
        if not self._total.lost:
            return "No answer edited lines that were cut."
        effective = share(self._total.effective, self._total.unpruned)
        rate = lost_events(self._rows)
        return (
            f"In {rate.value:.1f} of 1,000 requests ({rate.low:.1f} to {rate.high:.1f}) the answer edited lines "
            "that were cut; had the agent read them again each time, the cost would be "
            f"{effective:.3f} of not pruning."
        )

    def policies(self) -> PageSection:
        """Return the levels of Prunus beside the rivals."""
        lines = []
        for name in filter(self._known, (*LEVELS, *RIVALS)):
            found = [self._measured(row, name) for row in self._rows]
            words = f"Prunus, {name}{' (these tables)' * (name == self._level)}" if name in LEVELS else RIVALS[name]
            effective = share(sum(one.effective for one in found), self._total.unpruned)
            cost = share(sum(one.cost for one in found), self._total.unpruned)
            lines.append((words, f"{cost:.3f}", self._saved(name), f"{effective:.3f}", str(lost_events(found))))
        return PageSection(
            "Levels and rivals",
            ("policy", "cost", "saved", "effective cost", "lost per 1,000"),
            tuple(lines),
            "A level says how much Prunus may lose to save: `prunus run --level safe|balanced|lean`.",
        )

    def _known(self, name: str) -> bool:
        return name == self._level or all(name in row.beside for row in self._rows)

    def _measured(self, row: SessionResult, name: str) -> Measurement:
        """Return one policy in a session: the level that was chosen, or a policy beside it."""
        return row if name == self._level else row.beside[name]

    def _saved(self, name: str) -> str:
        """Return what a policy saves: dollars of the sessions with a price, or a share of the cost of all."""

        def gain(row: SessionResult) -> float:
            return row.unpruned - self._measured(row, name).cost

        saved = in_dollars(self._rows, self._money, gain)
        return f"{share(sum(map(gain, self._rows)), self._total.unpruned):.1%}" if saved is None else dollars(saved)

    def sections(self) -> tuple[PageSection, ...]:
        """Return the tables by agent, by strategy and by session."""
        members = by_agent(self._rows)
        if len(members) > 1:
            members["all"] = list(self._rows)
        before = "$ before" if self._priced else "cost before"
        return (
            PageSection(
                "By agent",
                ("agent", "sessions", "requests", "tokens before", "after", before, "after", "cost"),
                tuple(self._costs(name, rows) for name, rows in members.items()),
                "Cost is a share of not pruning"
                + ("." if self._priced else ", before and after are in uncached input tokens."),
            ),
            PageSection(
                "Loss",
                ("agent", "lost", "per 1,000 requests", "effective cost", "hard", "soft"),
                tuple(_losses(name, rows) for name, rows in members.items()),
                "Lost are requests whose answer edits lines that were cut, with a 95 % interval over sessions; "
                "effective cost counts one more request for each part that must then be read again. Hard and soft "
                "are shares of what later calls used and was still shown: lines and files; names in a line as it "
                "was, or in a path.",
            ),
            PageSection(
                "Prompt cache",
                ("agent", "cached before", "after", "breaks", "per 100 requests"),
                tuple(_cache(name, rows) for name, rows in members.items()),
                "Cached are shares of the tokens sent. Breaks are those of a warm cache that Prunus causes.",
            ),
            PageSection(
                "By strategy",
                ("strategy", "edits", "tokens", "in all requests", "saved"),
                tuple(
                    (name, f"{one.edits:,}", f"{one.tokens:,}", f"{one.kept:,}", self._saved_by(name, one.saved))
                    for name, one in strategies(self._rows).items()
                ),
                "Edits in the last request of each session and the tokens that they keep out of it; tokens that "
                "were kept out of all requests; what that saved, breaks of the cache paid, "
                + ("in dollars." if self._priced else "in uncached input tokens."),
            ),
            PageSection(
                "Gained least",
                ("session", "agent", "model", "requests", "tokens before", "saved", "cost"),
                tuple(map(self._gain, least(self._rows))),
            ),
        )

    def _costs(self, name: str, rows: Sequence[SessionResult]) -> Cells:
        sums = total(rows)
        unpruned = in_dollars(rows, self._money, lambda row: row.unpruned)
        paid = in_dollars(rows, self._money, lambda row: row.cost)
        return (
            name,
            f"{len(rows):,}",
            f"{sums.requests:,}",
            f"{sums.unpruned_tokens:,}",
            f"{sums.tokens:,}",
            f"{sums.unpruned:,.0f}" if unpruned is None else dollars(unpruned),
            f"{sums.cost:,.0f}" if paid is None else dollars(paid),
            f"{share(sums.cost, sums.unpruned):.3f}",
        )

    def _saved_by(self, strategy: str, tokens: float) -> str:
        """Return what a strategy saved: dollars of the sessions with a price, or tokens if there are none."""
        rows = [row for row in self._rows if strategy in row.strategies]
        known = in_dollars(rows, self._money, lambda row: row.strategies[strategy].saved)
        return f"{tokens:,.0f}" if not self._priced else "-" if known is None else dollars(known)

    def _gain(self, row: SessionResult) -> Cells:
        saved, price = row.unpruned - row.cost, self._money.of(row.model)
        return (
            row.session,
            row.agent,
            row.model or "-",
            f"{row.requests:,}",
            f"{row.unpruned_tokens:,}",
            "-" if price is None else dollars(saved * price),
            f"{share(row.cost, row.unpruned):.3f}",
        )

    def notes(self) -> tuple[str, ...]:
        """Return notes that explain the numbers."""
        rows, sums = self._rows, self._total
        notes = [
            f'Replayed with preset = "auto", level = "{self._level}".',
            "Answers are not counted: they cost the same either way. Each session is paid by its model's cache "
            "prices.",
            self._counting(),
            self._comparison(),
        ]
        without = sorted({row.model or "no name" for row in rows if self._money.of(row.model) is None})
        if self._money.shown and without:
            notes.append(
                f"No dollar price is known for {', '.join(without)}: sums of dollars leave them out. "
                "Give --input-price MODEL=USD (per million tokens), or prices in the settings."
            )
        if hours := sum(bool(row.lifetime) for row in rows):
            notes.append(f"{counted(hours, 'session')} cached for an hour, as recorded, at that write's price.")
        if unknown := sorted({row.model or "no name" for row in rows if not row.known}):
            assumed = f"read {DEFAULT.read:g}, write {DEFAULT.write:g} assumed"
            notes.append(f"No price is known for {', '.join(unknown)}: {assumed}.")
        if sums.refused:
            notes.append(f"{counted(sums.refused, 'request')} could not be pruned and went out unchanged.")
        if sums.invalid:
            notes.append(f"{counted(sums.invalid, 'pruned request')} would be refused: please report this.")
        return tuple(notes)

    def _comparison(self) -> str:
        """Return how to compare with other policies, and whether the costs are then the same."""
        same = (
            "counts tokens by estimate, so that its costs differ"
            if any(row.billed for row in self._rows)
            else ("gives the same cost")
        )
        return f"`prunus replay --policy {self._level} --prices own` compares with other policies and {same}."

    def _counting(self) -> str:
        """Return how tokens are counted."""
        billed = sum(row.billed for row in self._rows)
        if billed == len(self._rows):
            return "Tokens are counted as the provider counted them, system text and tools included."
        if not billed:
            return "Tokens are estimates; system text and tools count only where the agent recorded them."
        return (
            f"In {counted(billed, 'session')} tokens are counted as the provider counted them, system text and "
            "tools included; in the others they are estimates, and count those only where the agent recorded them."
        )


def _losses(name: str, rows: Sequence[SessionResult]) -> Cells:
    sums = total(rows)
    return (
        name,
        f"{sums.lost:,}",
        str(lost_events(rows)),
        f"{share(sums.effective, sums.unpruned):.3f}",
        f"{share(sums.hard_kept, sums.hard):.3f}" if sums.hard else "-",
        f"{share(sums.in_place, sums.soft):.3f}" if sums.soft else "-",
    )


def _cache(name: str, rows: Sequence[SessionResult]) -> Cells:
    sums = total(rows)
    return (
        name,
        f"{share(sums.unpruned_cached, sums.unpruned_tokens):.1%}",
        f"{share(sums.cached, sums.tokens):.1%}",
        f"{sums.own_breaks:,}",
        f"{100 * share(sums.own_breaks, sums.requests):.1f}",
    )
