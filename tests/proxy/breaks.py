"""Breaks of the prompt cache, as a provider sees them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

from prunus.proxy.exchange import Event


def first_change(before: bytes, after: bytes) -> int | None:
    """The first message of a request that the next request does not repeat; None if it repeats all."""
    old, new = (json.loads(body)["messages"] for body in (before, after))
    return next((n for n, message in enumerate(old) if n >= len(new) or new[n] != message), None)


def undeclared(bodies: Sequence[bytes], events: Sequence[Event]) -> list[int]:
    """The requests of one conversation that changed what the provider had seen without saying so.

    A request says so with its flush, or by being sent as it came; the request after such a one needs no flush.
    """
    found = []
    for n, (before, after) in enumerate(pairwise(bodies), 1):
        exchange = events[n].exchange
        flush = exchange.flush if exchange is not None else None
        changed = first_change(before, after)
        said = "skipped" in (events[n].what, events[n - 1].what) or (flush is not None and changed is not None)
        if changed is not None and not (said and (flush is None or flush.cut <= changed)):
            found.append(n)
    return found
