"""The newest requests of all conversations, as rows of a table and as events for a browser that watches."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Final

from prunus.dashboard.markup import Markup, element
from prunus.dashboard.money import amount
from prunus.dashboard.sources import Sources
from prunus.dashboard.table import Column, table
from prunus.dashboard.wording import conversation_path, share
from prunus.report.cache_misses import REASONS
from prunus.store.records import Exchange
from prunus.text.numbers import short
from prunus.text.printable import printable

SHOWN: Final = 20
"""Requests that the list shows."""
COLUMNS: Final = (
    Column("Time"),
    Column("Agent", spare=True),
    Column("Model"),
    Column("Tokens", number=True, spare=True),
    Column("Sent", number=True),
    Column("Cached", number=True, spare=True),
    Column("Cost", number=True),
    Column("Saved", number=True),
    Column("Remarks", long=True, spare=True),
)


def requests_table(found: Sequence[Exchange], sources: Sources) -> Markup:
    """Return the table that a script of ours keeps up to date."""
    rows = [
        (element("a", cells[0], href=conversation_path(exchange.conversation)), *cells[1:])
        for exchange in found
        for cells in (_cells(exchange, sources),)
    ]
    return table("The newest requests", COLUMNS, rows, empty="No request yet.", id="live")


def live_events(mark: int, found: Sequence[Exchange], sources: Sources) -> bytes:
    """Return the newest exchanges as one server-sent event; its id is the mark to go on from."""
    rows = [
        {
            "to": conversation_path(exchange.conversation),
            "cells": [printable(cell) for cell in _cells(exchange, sources)],
        }
        for exchange in reversed(found)
    ]
    # JSON in ASCII has no line break, which would end the event.
    return f"id: {mark}\ndata: {json.dumps(rows)}\n\n".encode("ascii")


def _cells(exchange: Exchange, sources: Sources) -> tuple[str, ...]:
    usage = exchange.usage
    read = f"{share(usage.cache_read, usage.input + usage.cache_read + usage.cache_write)}" if usage else ""
    paid = amount(sources.settings, [(exchange.model, exchange.cost)])
    whole = amount(sources.settings, [(exchange.model, exchange.cost_unpruned)])
    return (
        time.strftime("%H:%M:%S", time.localtime(exchange.time)),
        exchange.client or "-",
        exchange.model or "-",
        short(exchange.tokens_before) if exchange.tokens_before else "",
        short(exchange.tokens_after) if exchange.tokens_after else "",
        read,
        paid.exact if exchange.cost else "",
        (whole - paid).exact if exchange.cost_unpruned else "",
        _said(exchange),
    )


def _said(exchange: Exchange) -> str:
    """Return what is worth a word about a request."""
    words = []
    if not 200 <= exchange.status < 300:
        words.append(f"status {exchange.status}")
    if exchange.shadow:
        words.append("shadow")
    if exchange.keep_alive:
        words.append("keep-alive")
    if exchange.behind:
        words.append("no time to prune")
    if exchange.error:
        words.append("sent unchanged after a fault")
    if exchange.flush is not None:
        words.append(f"flush: {exchange.flush.reason}")
    if exchange.missed_for not in ("", "first", "cut"):
        why = REASONS.get(exchange.missed_for, exchange.missed_for)
        words.append(f"missed {short(exchange.missed)} in the cache: {why}")
    return ", ".join(words)
