"""What a replayed conversation costs under a price row."""

from __future__ import annotations

import re
from dataclasses import dataclass

from prunus.errors import SettingsError
from prunus.lab.replay import Replay, Sent
from prunus.schedule.prices import NAMED_ROWS, Price, request_cost


@dataclass(frozen=True, slots=True)
class Cost:
    """Input only, in tokens of uncached input; answers cost the same under every policy."""

    cost: float
    tokens: int
    """Sum over all requests."""
    peak: int
    """Of the longest request."""
    breaks: int
    """Requests that do not continue the one before."""
    flushes: int
    """Requests whose prefix the policy says it changed."""
    undeclared: int
    """Those breaks that the policy gave no reason for."""
    cold: int
    """Requests that came after the cache had expired."""
    invalid: int
    """Requests that a provider would refuse, for calls without result or results without call."""


def cost(replayed: Replay, price: Price) -> Cost:
    """Price every request; the cache is cold after a longer gap than its lifetime, warm where no time is known."""
    sent = replayed.requests
    broken = [one for one in sent if one.broken > 0]
    return Cost(
        sum(request_cost(price, one.tokens, 0 if is_cold(one, price) else one.cached) for one in sent),
        sum(one.tokens for one in sent),
        max((one.tokens for one in sent), default=0),
        len(broken),
        sum(bool(one.declared) for one in sent),
        sum(not one.declared for one in broken),
        sum(is_cold(one, price) for one in sent),
        sum(not one.valid for one in sent),
    )


def is_cold(sent: Sent, price: Price) -> bool:
    """Whether the cache had expired when a request came."""
    return sent.gap is not None and sent.gap > price.ttl


def price_row(text: str) -> Price:
    """The prices that `READ/WRITE` names, relative to uncached input; an unknown pair has a cache of 5 minutes."""
    known = NAMED_ROWS.get(text)
    if known is not None:
        return known
    found = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)/(\d+(?:\.\d+)?|\.\d+)", text)
    if found is None:
        raise SettingsError(f"no price row {text!r}; give READ/WRITE, or one of {', '.join(NAMED_ROWS)}")
    return Price(float(found[1]), float(found[2]), 300, 0)
