"""Logs requests and edits: lines for people in the wording of the ACP plugin, and fields for JSON.

The fields are numbers and names; they contain no text of a conversation.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from prunus.outcome import Receipt
from prunus.proxy.exchange import Event
from prunus.proxy.faults import LOGGER
from prunus.proxy.log import with_fields
from prunus.report.funnel import SUPERSEDE_ICONS, SUPERSEDED_BY, Supersede


def log_request(event: Event) -> None:
    """Log a request that is over, what was pruned on request in it, and each of its edits."""
    if LOGGER.isEnabledFor(logging.INFO):
        LOGGER.info("%s", request_line(event), extra=with_fields(lambda: _request_fields(event)))
    place = _place(event)
    if event.status_line:
        fields = {"event": "pruned_on_request", **place}
        LOGGER.info("%s", event.status_line, extra=with_fields(lambda: fields))
    if event.receipts and LOGGER.isEnabledFor(logging.DEBUG):
        for receipt, line in _edit_lines(event.receipts):
            LOGGER.debug("%s", line, extra=with_fields(partial(_edit_fields, place, receipt)))


def log_step_back(client: str, strategy: str) -> None:
    """Log that a strategy cuts nothing in new conversations of an agent."""
    LOGGER.warning(
        "%s steps back in new conversations of %s: too much of what it cut was asked for again "
        "(see `prunus stats`; `learn = false` switches this off)",
        strategy,
        client or "this agent",
    )


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
    if exchange.asks:
        line += f", asked again for {len(exchange.asks)}"
    return line


def _edit_lines(receipts: Iterable[Receipt]) -> Iterator[tuple[Receipt, str]]:
    """A line for each prune of a request; a call whose input and result both go is one."""
    told = set()
    # The result of a call says more than its input, so that comes first.
    for receipt in sorted(receipts, key=lambda receipt: bool(receipt.edit.follows)):
        strategy = receipt.edit.counted_as
        if (receipt.item, strategy) in told:
            continue
        told.add((receipt.item, strategy))
        kind = SUPERSEDED_BY.get(strategy)
        if kind is not None and receipt.call:
            yield receipt, f"[auto-supersede] {SUPERSEDE_ICONS[kind]} {_superseded(kind, receipt)}"
        else:
            tool = f" {receipt.tool}" if receipt.tool else ""
            yield receipt, f"[{strategy}] {receipt.id}:{tool} {receipt.edit.reason}"


def _superseded(kind: Supersede, receipt: Receipt) -> str:
    """What superseded what, by the ids of the calls."""
    match kind:
        case "hash" | "retry":
            return f"{kind} {receipt.id}: {receipt.call} → {receipt.by}"
        case "url" | "query":
            return f"{kind} {receipt.about}: {receipt.call} → {receipt.by}"
        case "file":
            by = f"superseded by {receipt.by_tool}" if receipt.by_tool else receipt.edit.reason
            return f"file {receipt.about}: {receipt.tool} {receipt.call} {by}"
    return f"{kind}: pruned old {receipt.tool} {receipt.call}"


def _request_fields(event: Event) -> dict[str, Any]:
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


def _edit_fields(place: Mapping[str, Any], receipt: Receipt) -> dict[str, Any]:
    """One edit of the request at a place."""
    edit = {"strategy": receipt.edit.counted_as, "receipt": receipt.id, "tool": receipt.tool, "call": receipt.call}
    return {"event": "edit", **place, **edit}


def _place(event: Event) -> dict[str, Any]:
    """The conversation of a request, and its number there."""
    exchange = event.exchange
    return {} if exchange is None else {"conversation": exchange.conversation, "request": exchange.request}
