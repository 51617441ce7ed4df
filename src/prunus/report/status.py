"""The status line: of one request, and of what the agent or the user asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from prunus.edits import Note
from prunus.history import Ref
from prunus.notes import kept_summary
from prunus.outcome import Receipt, Report
from prunus.printable import printable
from prunus.tally import Notification, Tally, status

__all__ = ["Notification", "asked_line", "status_line"]


def status_line(report: Report, notification: Notification = "minimal", items: Sequence[str] = ()) -> str:
    """What was pruned in a request; `items` names each call that was cut, for the detailed form."""
    return status(report.categories, notification, items)


def asked_line(
    receipts: Iterable[Receipt], notification: Notification = "minimal", *, distillation: bool = False
) -> str:
    """What a request pruned because the agent or the user asked for it; empty where that is nothing.

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


_LONGEST: Final = 200
"""Characters of a summary that are shown."""
_ONE = {"messages": "message", "thinking": "thinking", "tools": "tool"}
