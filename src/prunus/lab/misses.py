"""Why the requests of a recorded session write to the prompt cache, without Prunus and with it."""

from __future__ import annotations

from collections.abc import Mapping

from prunus.lab.cost import is_cold
from prunus.lab.replay import Replay
from prunus.schedule.prices import Price

Writes = Mapping[str, tuple[int, int]]
"""For each reason of `prunus.report.cache_misses`, the requests and the tokens that they write."""


def cache_writes(replayed: Replay, price: Price) -> Writes:
    """Return what the requests write to the cache for each reason."""
    found: dict[str, tuple[int, int]] = {}

    def write(reason: str, tokens: int) -> None:
        requests, before = found.get(reason, (0, 0))
        found[reason] = requests + 1, before + tokens

    for number, sent in enumerate(replayed.requests):
        if number == 0 and sent.cached == 0:
            write("first", sent.tokens)
        elif is_cold(sent, price):
            write("new", sent.tokens - sent.cached)
            write("expired", sent.cached)
        elif sent.broken > 0:
            missed = min(sent.broken, sent.tokens - sent.cached)
            write("cut" if sent.declared else "prompt" if not sent.cached else "forked", missed)
            write("new", sent.tokens - sent.cached - missed)
        else:
            write("new", sent.tokens - sent.cached)
    return found
