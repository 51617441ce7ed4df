"""Log lines: one for each request, and at debug level one for each edit, in the words of the seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from prunus.outcome import Receipt
from prunus.proxy.exchange import Event

__all__ = ["edit_lines", "request_line"]

_ICONS: Final = {
    "duplicate_calls": "🔄 hash",
    "repeated_views": "📁 file",
    "stale_reads": "📁 file",
    "middle_reads": "📁 file",
    "repeated_fetches": "🔗 url",
    "repeated_queries": "📊 state query",
    "old_snapshots": "📸 snapshot",
    "retried_errors": "🔄 retry",
    "old_todos": "✅ todo",
}


def request_line(event: Event) -> str:
    """One request and what became of it."""
    what = f"{event.what}: {event.why}" if event.why else event.what
    line = f"{event.method} {event.path} -> {event.upstream} {event.status or 'gone'} {event.seconds:.2f}s {what}"
    exchange = event.exchange
    if exchange is None:
        return line
    line += f" {exchange.model} {exchange.tokens_before} -> {exchange.tokens_after} tokens"
    if exchange.usage is not None:
        line += f", cache read {exchange.usage.cache_read}"
    if exchange.flush is not None:
        line += f", flush: {exchange.flush.reason}"
    return line


def edit_lines(receipts: tuple[Receipt, ...]) -> Iterator[str]:
    """A line for each edit that a request put in force."""
    for receipt in receipts:
        label = _ICONS.get(receipt.edit.strategy)
        kind = f"[auto-supersede] {label}" if label else f"[{receipt.edit.strategy}]"
        tool = f" {receipt.tool}" if receipt.tool else ""
        yield f"{kind} {receipt.id}:{tool} {receipt.edit.reason}"
