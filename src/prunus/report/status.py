"""Savings in one line: of one request, of what the agent or the user requested, of many requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.edits import Note
from prunus.history import Ref
from prunus.notes import kept_summary
from prunus.outcome import Receipt, Report
from prunus.store.records import Exchange
from prunus.tally import Notification, Tally, status
from prunus.text.numbers import dollars, percent, short
from prunus.text.printable import printable

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
    """The sums over requests; shadow runs are counted separately."""

    requests: int = 0
    before: int = 0
    after: int = 0
    cost: float = 0.0
    unpruned: float = 0.0
    dollars: float = 0.0
    """Of the requests whose model has a known price."""
    dollars_unpruned: float = 0.0

    def add(self, exchange: Exchange, price: float | None = None) -> Savings:
        """With one more request; `price` are the dollars of an uncached input token of its model."""
        return Savings(
            self.requests + 1,
            self.before + exchange.tokens_before,
            self.after + exchange.tokens_after,
            self.cost + exchange.cost,
            self.unpruned + exchange.cost_unpruned,
            self.dollars + exchange.cost * (price or 0.0),
            self.dollars_unpruned + exchange.cost_unpruned * (price or 0.0),
        )

    def line(self, *, shadow: bool) -> str:
        """What was saved and left out, or in shadow mode what would have been: first in dollars, if known."""
        tokens = self.before - self.after
        done = f"left out {short(tokens)} of" if tokens >= 0 else f"added {short(-tokens)} to"
        many = "request" if self.requests == 1 else "requests"
        said = f"{done} {short(self.before)} tokens in {self.requests:,} {many}"
        would = "would have " if shadow else ""
        if self.dollars_unpruned:
            saved = self.dollars_unpruned - self.dollars
            share = percent(round(abs(saved) * 1e6), round(self.dollars_unpruned * 1e6))
            gained = f"saved {dollars(saved)} of" if saved >= 0 else f"added {dollars(-saved)} to"
            said = f"{gained} {dollars(self.dollars_unpruned)} of input ({share}), and {said}"
        elif self.unpruned:
            part = round(self.unpruned - self.cost)
            share = f"{percent(abs(part), round(self.unpruned))} {'below' if part >= 0 else 'above'}"
            said += (
                f"; input cost {short(round(self.cost))}, {short(round(self.unpruned))} without pruning ({share})"
            )
        return f"{'Shadow, nothing was changed: ' * shadow}Prunus {would}{said}"
