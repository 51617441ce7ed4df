"""Savings in one line: of one request, of what the agent or the user requested, of many requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.edits import Note
from prunus.history import Ref
from prunus.notes import kept_summary
from prunus.numbers import percent, short
from prunus.outcome import Receipt, Report
from prunus.printable import printable
from prunus.store.records import Exchange
from prunus.tally import Notification, Tally, status

_LONGEST: Final = 200
"""Characters of a summary that are shown."""
_ONE = {"messages": "message", "thinking": "thinking", "tools": "tool"}


def status_line(report: Report, notification: Notification = "minimal", items: Sequence[str] = ()) -> str:
    """The status line of a request; `items` names each call that was cut, for the detailed form."""
    return status(report.categories, notification, items)


def requested_line(
    receipts: Iterable[Receipt], notification: Notification = "minimal", *, distillation: bool = False
) -> str:
    """The status line of what was pruned because the agent or the user requested it; empty if nothing was.

    With `distillation`, what the agent kept of it stands behind.
    """
    categories: dict[str, Tally] = {}
    items: dict[Ref | None, str] = {}
    summaries: list[str] = []
    for receipt in receipts:
        if not receipt.asked:
            continue
        new = receipt.item not in items
        items[receipt.item] = receipt.tool or _ONE[receipt.category]
        tally = categories.get(receipt.category, Tally())
        categories[receipt.category] = tally.add(new, receipt.edit.saved)
        if isinstance(receipt.edit.replacement, Note):
            summaries += filter(None, (kept_summary(receipt.edit.replacement.text),))
    line = status(categories, notification, [*items.values()])
    if not line or not distillation or not summaries:
        return line
    shown = (printable(" ".join(summary.split())[:_LONGEST]) for summary in summaries)
    return f"{line} | distilled: {'; '.join(shown)}"


@dataclass(frozen=True, slots=True)
class Savings:
    """The sums over requests; those of shadow runs are kept apart from those that were pruned."""

    requests: int = 0
    before: int = 0
    after: int = 0
    cost: float = 0.0
    unpruned: float = 0.0

    def add(self, exchange: Exchange) -> Savings:
        """With one more request."""
        return Savings(
            self.requests + 1,
            self.before + exchange.tokens_before,
            self.after + exchange.tokens_after,
            self.cost + exchange.cost,
            self.unpruned + exchange.cost_unpruned,
        )

    def line(self, *, shadow: bool) -> str:
        """The tokens left out and the cost, or in shadow mode what they would have been."""
        saved = self.before - self.after
        done = f"left out {short(saved)} of" if saved >= 0 else f"added {short(-saved)} to"
        many = "request" if self.requests == 1 else "requests"
        would = "would have " if shadow else ""
        line = f"Prunus {would}{done} {short(self.before)} tokens in {self.requests:,} {many}"
        if self.unpruned:
            part = round(self.unpruned - self.cost)
            share = f"{percent(abs(part), round(self.unpruned))} {'below' if part >= 0 else 'above'}"
            line += (
                f"; input cost {short(round(self.cost))}, {short(round(self.unpruned))} without pruning ({share})"
            )
        return f"Shadow, nothing was changed: {line}" if shadow else line
