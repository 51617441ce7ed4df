"""What an exchange cost, and what it would have cost unpruned.

Two prompt caches are simulated for each conversation: that of the requests as they were sent, and that of the
requests as they would have been sent without Prunus. A request extends the one before it in the same
conversation, so what it shares with it is all of that one; a flush shortens this in the pruned world only, and an
expired cache or another prompt empties both. Where the provider says what it found in its cache, its word replaces
the simulation, and the share of the expected hits that really came is applied to the unpruned world too: a provider
that evicts, or a client that asks for no cache, must not look like a saving of ours.

Prices are relative to an uncached input token. Breaks that Prunus causes are part of what an exchange cost, so the
difference of the two is net of them.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from prunus.policy.ledger import Flush
from prunus.policy.prices import Price
from prunus.store.records import Usage

__all__ = ["Accounts", "Costs", "Sent", "billed"]

_CONVERSATIONS: Final = 4096


@dataclass(frozen=True, slots=True)
class Sent:
    """One request of a conversation, in tokens as the provider counts them."""

    conversation: str
    time: float
    prompt: bytes
    """Hash of model, system text and tools."""
    before: float
    after: float
    flush: Flush | None
    usage: Usage | None
    factor: float = 1.0
    """Provider's tokens for one of ours; the flush counts in ours."""
    shadow: bool = False
    """It was sent as `before`."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of one exchange."""

    cost: float
    """Of the pruned request."""
    unpruned: float
    of_break: float
    """The part of `cost` that a break of ours caused."""


@dataclass(frozen=True, slots=True)
class _Last:
    time: float
    prompt: bytes
    before: float
    after: float
    hits: float
    """Share of the expected cache hits that came."""


class Accounts:
    """The two caches of each conversation."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, _Last] = OrderedDict()

    def settle(self, sent: Sent, price: Price) -> Costs:
        """Price an exchange, and remember it for the next one of its conversation."""
        last = self._last.pop(sent.conversation, None)
        warm = last is not None and sent.prompt == last.prompt and sent.time - last.time <= price.ttl
        before_cached = last.before if last is not None and warm else 0.0
        after_cached = last.after if last is not None and warm else 0.0
        lost = 0.0
        if sent.flush is not None and warm:
            lost = min(sent.flush.rewritten * sent.factor, after_cached)
            after_cached = max(0.0, after_cached - (sent.flush.saved + sent.flush.rewritten) * sent.factor)
        hits = self._hits(sent, price, before_cached if sent.shadow else after_cached, last)
        rate = _write_rate(sent.usage, price)
        before_cached, after_cached = before_cached * hits, after_cached * hits
        of_break = lost * hits * (rate - price.read)
        if sent.usage is None:
            pruned, unpruned = (
                _cost(price, tokens, cached if cached >= price.minimum else 0.0, rate)
                for tokens, cached in ((sent.after, after_cached), (sent.before, before_cached))
            )
        elif sent.shadow:
            pruned, unpruned = _cost(price, sent.after, after_cached, rate), billed(sent.usage, price)
        else:
            # What a first request finds, such as a prompt that conversations share, is found in both worlds.
            found = before_cached if warm else sent.usage.cache_read * min(1.0, sent.before / max(1.0, sent.after))
            pruned, unpruned = billed(sent.usage, price), _cost(price, sent.before, found, rate)
        costs = Costs(pruned, unpruned, of_break)
        self._last[sent.conversation] = _Last(sent.time, sent.prompt, sent.before, sent.after, hits)
        while len(self._last) > _CONVERSATIONS:
            self._last.popitem(last=False)
        return costs

    def _hits(self, sent: Sent, price: Price, expected: float, last: _Last | None) -> float:
        """The share of expected hits that came, as far as this exchange or the last one can tell.

        A request that breaks the cache tells nothing: what it misses is our doing, not the provider's.
        """
        broken = sent.flush is not None and not sent.shadow
        if sent.usage is None or broken or expected < max(1, price.minimum):
            return last.hits if last is not None else 1.0
        return min(1.0, sent.usage.cache_read / expected)


def billed(usage: Usage, price: Price) -> float:
    """What the provider charges by its own word."""
    whole = usage.input + usage.cache_read + usage.cache_write
    cost = usage.input + usage.cache_read * price.read + usage.cache_write * price.write
    return cost * _tier(price, whole)


def _cost(price: Price, tokens: float, cached: float, rate: float) -> float:
    found = min(cached, tokens)
    return (found * price.read + (tokens - found) * rate) * _tier(price, tokens)


def _write_rate(usage: Usage | None, price: Price) -> float:
    """What a token costs that is not found in the cache; the provider's word shows whether it is written there."""
    if usage is None:
        return price.write
    new = usage.input + usage.cache_write
    return (usage.input + usage.cache_write * price.write) / new if new else price.write


def _tier(price: Price, tokens: float) -> float:
    return price.tier_factor if price.tier is not None and tokens > price.tier else 1.0
