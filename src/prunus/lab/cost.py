"""The cost of a replayed conversation, in tokens of uncached input."""

from __future__ import annotations

import re
from dataclasses import dataclass

from prunus.errors import SettingsError
from prunus.lab.replay import Replay, Sent
from prunus.schedule.prices import NAMED_ROWS, Price, request_cost


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of input, in tokens of uncached input. Answers do not count: every policy pays the same for them."""

    cost: float
    tokens: int
    """The tokens of all requests together."""
    peak: int
    """The tokens of the longest request."""
    breaks: int
    """Requests that do not continue the request before."""
    flushes: int
    """Requests whose changed prefix the policy declared."""
    undeclared: int
    """Breaks without a reason from the policy."""
    cold: int
    """Requests that came after the cache had expired."""
    invalid: int
    """Requests that a provider would refuse, because a call lacks its result or a result lacks its call."""


def cost(replayed: Replay, price: Price) -> Cost:
    """Return the cost of all requests. The cache is cold after a gap longer than its lifetime, else warm."""
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
    """Return whether the cache had expired before a request; unknown times count as warm."""
    return sent.gap is not None and sent.gap > price.ttl


def price_row(text: str) -> Price:
    """Return the prices of `READ/WRITE`, relative to uncached input; an unknown pair has a cache of 5 minutes."""
    known = NAMED_ROWS.get(text)
    if known is not None:
        return known
    found = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)/(\d+(?:\.\d+)?|\.\d+)", text)
    if found is None:
        raise SettingsError(f"no price row {text!r}; give READ/WRITE, or one of {', '.join(NAMED_ROWS)}")
    return Price(float(found[1]), float(found[2]), 300, 0)
