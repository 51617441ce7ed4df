"""Savings in one line: of one request, of what the agent or the user requested, of many requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from prunus.edits import Note
from prunus.history import Ref
from prunus.notes import kept_summary
from prunus.outcome import Receipt, Report
from prunus.report.bill import Amount, amount_of
from prunus.schedule.dollars import Money
from prunus.store.records import Exchange
from prunus.tally import Notification, Tally, status
from prunus.text.numbers import percent, short
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
    """Return the status line of what the agent or the user asked to prune; empty if that was nothing.

    With `distillation`, the line ends with the summaries that the agent wrote in place of the pruned content.
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
    paid: Amount = field(default_factory=Amount)
    unpruned: Amount = field(default_factory=Amount)

    def add(self, exchange: Exchange, money: Money) -> Savings:
        """Return the sums with one more request."""
        return Savings(
            self.requests + 1,
            self.before + exchange.tokens_before,
            self.after + exchange.tokens_after,
            self.paid + amount_of([(exchange.model, exchange.cost)], money),
            self.unpruned + amount_of([(exchange.model, exchange.cost_unpruned)], money),
        )

    def line(self, *, shadow: bool) -> str:
        """What was saved and left out, or in shadow mode what would have been: first in dollars, if known."""
        tokens = self.before - self.after
        done = f"left out {short(tokens)} of" if tokens >= 0 else f"added {short(-tokens)} to"
        many = "request" if self.requests == 1 else "requests"
        said = f"{done} {short(self.before)} tokens in {self.requests:,} {many}"
        would = "would have " if shadow else ""
        whole, saved = self.unpruned, self.unpruned - self.paid
        if whole.dollars:
            share = percent(round(abs(saved.dollars) * 1e6), round(whole.dollars * 1e6))
            gained = f"saved {saved} of" if saved.dollars >= 0 else f"added {self.paid - whole} to"
            said = f"{gained} {whole} of input ({share}), and {said}"
        elif whole.cost:
            part = round(saved.cost)
            share = f"{percent(abs(part), round(whole.cost))} {'below' if part >= 0 else 'above'}"
            said += (
                f"; input cost {short(round(self.paid.cost))}, {short(round(whole.cost))} without pruning ({share})"
            )
        return f"{'Shadow, nothing was changed: ' * shadow}Prunus {would}{said}"
