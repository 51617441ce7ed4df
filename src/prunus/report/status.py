"""The status line: of one request, and of what the agent or the user asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prunus.engine import Notification, Tally, status
from prunus.history import Ref
from prunus.outcome import Receipt, Report

__all__ = ["Notification", "asked_line", "status_line"]


def status_line(report: Report, notification: Notification = "minimal", items: Sequence[str] = ()) -> str:
    """What was pruned in a request; `items` names each call that was cut, for the detailed form."""
    return status(report.categories, notification, items)


def asked_line(receipts: Iterable[Receipt], notification: Notification = "minimal") -> str:
    """What a request pruned because the agent or the user asked for it; empty where that is nothing."""
    categories: dict[str, Tally] = {}
    items: dict[Ref | None, str] = {}
    for receipt in receipts:
        # Ids that the model repeated, and commands, are kept from the model without being pruned.
        if not receipt.asked or (receipt.edit.asked and receipt.edit.fresh):
            continue
        new = receipt.item not in items
        items[receipt.item] = receipt.tool or _ONE[receipt.category]
        tally = categories.get(receipt.category, Tally())
        categories[receipt.category] = tally.add(new, receipt.edit.saved)
    return status(categories, notification, [*items.values()])


_ONE = {"messages": "message", "thinking": "thinking", "tools": "tool"}
