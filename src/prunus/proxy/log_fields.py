"""The fields of a JSON log for a request and its edits: numbers and names, no text of the conversation."""

from __future__ import annotations

from typing import Any

from prunus.outcome import Receipt
from prunus.proxy.exchange import Event


def request_fields(event: Event) -> dict[str, Any]:
    """A request and what became of it."""
    fields: dict[str, Any] = {
        "event": "request",
        "client": event.client,
        "method": event.method,
        "path": event.path,
        "upstream": event.upstream,
        "status": event.status,
        "seconds": round(event.seconds, 4),
        "what": event.what,
    }
    if event.why:
        fields["why"] = event.why
    exchange = event.exchange
    if exchange is None:
        return fields
    fields |= {
        "conversation": exchange.conversation,
        "request": exchange.request,
        "format": exchange.format,
        "model": exchange.model,
        "tokens_before": exchange.tokens_before,
        "tokens_after": exchange.tokens_after,
        "cost": round(exchange.cost, 2),
        "cost_unpruned": round(exchange.cost_unpruned, 2),
        "edits": sum(not receipt.passed for receipt in event.receipts),
        "asked_again": len(exchange.asks),
        "behind": exchange.behind,
    }
    usage = exchange.usage
    if usage is not None:
        fields |= {
            "input": usage.input,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
            "output": usage.output,
        }
    if exchange.flush is not None:
        fields |= {"flush": exchange.flush.reason, "flush_cost": round(exchange.cost_of_break, 2)}
    return fields


def pruned_on_request_fields(event: Event) -> dict[str, Any]:
    """A request with which the agent or the user pruned something."""
    return {"event": "pruned_on_request", **_place(event)}


def edit_fields(event: Event, receipt: Receipt) -> dict[str, Any]:
    """One edit of a request."""
    edit = {"strategy": receipt.edit.counted_as, "receipt": receipt.id, "tool": receipt.tool, "call": receipt.call}
    return {"event": "edit", **_place(event), **edit}


def _place(event: Event) -> dict[str, Any]:
    exchange = event.exchange
    return {} if exchange is None else {"conversation": exchange.conversation, "request": exchange.request}
