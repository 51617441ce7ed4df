"""The cost of an exchange, and what it would have cost without pruning.

Two prompt caches are simulated for each conversation: one for the requests as they were sent, and one for the
requests as they would have been sent without Prunus. A request extends the previous one of its conversation, so it
shares all of it. A flush shortens the shared prefix in the pruned world only; an expired cache or another prompt
empties both caches. If Prunus made the cache live longer, by a longer lifetime or by keep-alive requests, the
unpruned cache expires sooner and is written at its own price.

If the provider reports its cache hits, its numbers replace the simulation, and the share of the expected hits that
really came is applied to the unpruned world too. Otherwise a provider that evicts, or a client that asks for no
cache, would look like a saving of ours.

If Prunus answers a hidden tool call and asks the model again, that second request was sent and billed like any
other. Without Prunus nobody would have sent it. It already lacks the content that the agent has just discarded.

Prices are relative to an uncached input token. The cost of an exchange includes the cache breaks that Prunus
causes, so the difference of the two costs is net of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from prunus.proxy.calibration import NOTHING, Calibration, Rates, Weight
from prunus.proxy.misses import held_by
from prunus.schedule.ledger import Flush
from prunus.schedule.prices import Price
from prunus.store.records import Usage

_CONVERSATIONS: Final = 4096


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request of a conversation."""

    conversation: str
    model: str
    request: int
    """Its number in the conversation, counted from 1."""
    time: float
    prompt: bytes
    """Hash of model, system text and tools."""
    unpruned: Weight
    """The size as the client sent it."""
    pruned: Weight
    made: Weight = NOTHING
    """What the new edits of this request remove from it."""
    flush: Flush | None = None
    usages: Sequence[Usage] = ()
    """The provider's usage, one for each call of the model; those behind the first belong to the agent layer's own
    calls."""
    shadow: bool = False
    """Whether it was sent unpruned."""
    aside: bool = False
    """Whether it is a side request, such as one for a summary; the conversation then continues from the request
    before it."""
    whole: bool = False
    """Whether it was sent without the edits of the previous request, which happens only to side requests."""
    newest: int = 0
    """The number of the last call of the model; 0 if there was only one."""
    breaks: Sequence[Flush | None] = ()
    """The cache breaks of the calls behind the first."""

    @property
    def sent(self) -> Weight:
        return self.unpruned if self.shadow else self.pruned

    @property
    def gap(self) -> Weight:
        """What pruning removes, less what the agent layer adds."""
        return self.unpruned - self.pruned


@dataclass(frozen=True, slots=True)
class ExchangeCost:
    """The size of one exchange in the provider's tokens, and its cost."""

    tokens: float
    """The sum over everything that was sent."""
    tokens_unpruned: float
    cost: float
    """The sum over everything that was sent."""
    unpruned: float
    of_break: float
    """The part of `cost` that a cache break by Prunus caused."""


@dataclass(frozen=True, slots=True)
class _Last:
    """The newest request of a conversation."""

    sent: SentRequest
    billed: float
    """The tokens that the provider counted for it."""
    cached: float
    """The same, including the agent layer's own calls behind it; all of that is cached."""
    hits: float
    """The share of the expected cache hits that came."""
    ttl: float
    """Seconds for which the cache of the sent request lives."""
    refreshed: float
    """When that cache was last written or read."""


@dataclass(frozen=True, slots=True)
class _Worlds:
    """The provider's tokens of a request in each world."""

    unpruned: float
    pruned: float


@dataclass(frozen=True, slots=True)
class _Cached:
    """The tokens of a request that the provider's cache holds in each world."""

    unpruned: float
    pruned: float
    lost: float = 0.0
    """The tokens that it would hold in addition in the pruned world without the cache breaks by Prunus."""
    hits: float = 1.0


class Accounts:
    """Simulates the two caches of each conversation."""

    def __init__(self) -> None:
        self._calibration = Calibration()
        self._last: OrderedDict[str, _Last] = OrderedDict()

    def settle(self, sent: SentRequest, price: Price, asked: Price | None = None) -> ExchangeCost:
        """Price an exchange, and remember it for the next one of its conversation.

        `asked` is the price with the lifetime for which the client asks, where Prunus has given it another one.
        """
        asked = asked or price
        last = self._last.get(sent.conversation)
        usage, hops = next(iter(sent.usages), None), sent.usages[1:]
        billed = self._measured(sent, last)
        rates = self._calibration.rates(sent.model)
        gap = rates.measure(sent.gap)
        other = max(0.0, billed - gap if sent.shadow else billed + gap)
        size = _Worlds(billed, other) if sent.shadow else _Worlds(other, billed)
        cached = _cached(sent, size, rates, last, price, asked)
        rate = _write_rate(usage, price)
        # A provider may cache shorter prefixes than the table says.
        least = min(price.minimum, usage.cache_read) if usage is not None and usage.cache_read else price.minimum
        pruned, unpruned = (
            _cost(terms, tokens, held if held >= least else 0.0, _write_rate(usage, terms))
            for terms, tokens, held in (
                (price, size.pruned, cached.pruned),
                (asked, size.unpruned, cached.unpruned),
            )
        )
        if usage is not None and sent.shadow:
            unpruned = charge(usage, price)
        elif usage is not None:
            pruned = sum(charge(each, price) for each in sent.usages)
        if not sent.aside:
            newest = float(hops[-1].prompt) if hops else billed
            last_call = replace(sent, request=max(sent.request, sent.newest))
            self._last[sent.conversation] = _Last(last_call, billed, newest, cached.hits, price.ttl, sent.time)
            self._last.move_to_end(sent.conversation)
            while len(self._last) > _CONVERSATIONS:
                self._last.popitem(last=False)
        tokens = size.pruned + sum(hop.prompt for hop in hops)
        factor = size.pruned / max(1.0, sent.pruned.tokens)
        of_break = cached.lost * (rate - price.read) + _of_breaks(sent, factor, price)
        return ExchangeCost(tokens, size.unpruned, pruned, unpruned, of_break)

    def _measured(self, sent: SentRequest, last: _Last | None) -> float:
        """The provider's tokens of what was sent first, by its word or by what was learnt of it."""
        if last is not None and last.sent.model != sent.model:
            last = None  # models count differently
        more = sent.sent if last is None else sent.sent - last.sent.sent
        before = 0.0 if last is None else last.billed
        if not sent.usages:
            return before + self._calibration.rates(sent.model).measure(more)
        billed = float(sent.usages[0].prompt)
        self._calibration.learn(sent.model, more, billed - before, whole=last is None)
        return billed

    def held(self, conversation: str, now: float) -> tuple[float | None, float | None]:
        """The tokens that the provider has cached of a conversation, and how long they have lain there unused."""
        last = self._last.get(conversation)
        if last is None or not last.sent.usages:
            return None, None
        return float(held_by(last.sent.usages[-1])), now - last.refreshed

    def refresh(self, conversation: str, time: float) -> None:
        """A keep-alive request has read the cache."""
        last = self._last.get(conversation)
        if last is not None:
            self._last[conversation] = replace(last, refreshed=time)

    def skip(self, conversation: str, request: int) -> None:
        """A request got no answer: nothing was billed, and nothing new is cached."""
        last = self._last.get(conversation)
        if last is not None and last.sent.request + 1 == request:
            self._last[conversation] = replace(last, sent=replace(last.sent, request=request))


def _cached(
    sent: SentRequest, size: _Worlds, rates: Rates, last: _Last | None, price: Price, asked: Price
) -> _Cached:
    """Return what the caches hold of a request.

    The unpruned cache may have expired while the other was kept alive.
    """
    found = _alive(sent, size, rates, last, price)
    if last is None or _is_cold(sent, last) or sent.time - last.sent.time <= asked.ttl:
        return found
    return replace(found, unpruned=0.0)


def _is_cold(sent: SentRequest, last: _Last) -> bool:
    return sent.prompt != last.sent.prompt or sent.time - last.refreshed > last.ttl


def _alive(sent: SentRequest, size: _Worlds, rates: Rates, last: _Last | None, price: Price) -> _Cached:
    """Return what the caches hold of a request, from the previous request or else from the provider's usage."""
    flush, shadow = sent.flush, sent.shadow
    read = float(sent.usages[0].cache_read) if sent.usages else 0.0
    factor = size.pruned / max(1.0, sent.pruned.tokens)
    lost, gone = (flush.rewritten * factor, flush.saved * factor) if flush is not None else (0.0, 0.0)
    # What is found where nothing should be, such as a prompt that conversations share, is found in both worlds.
    if last is not None and _is_cold(sent, last):
        return _Cached(read, read)
    if last is not None and sent.whole:
        held = min(last.billed + rates.measure(last.sent.gap), size.unpruned) * last.hits
        return _Cached(held, read, max(0.0, min(last.billed, size.pruned) * last.hits - read))
    if last is None or sent.aside or last.sent.request + 1 != sent.request or last.sent.shadow != shadow:
        if sent.request == 1 or not read:
            return _Cached(read, read)
        # It is on the side, or another process has served the request before. What the provider did not find is new
        # in both worlds.
        between = size.unpruned - size.pruned - rates.measure(sent.made) + lost + gone
        return _Cached(read, read - between, lost) if shadow else _Cached(read + between, read, lost)
    gap = rates.measure(last.sent.gap)
    before, after = (last.cached, last.cached - gap) if shadow else (last.billed + gap, last.cached)
    hits = _hits(sent, price, last)
    kept = max(0.0, after - gone)
    lost = max(0.0, min(lost, kept - read) if sent.usages and not shadow else min(lost, kept))
    return _Cached(before * hits, (kept - lost) * hits, lost * hits, hits)


def _of_breaks(sent: SentRequest, factor: float, price: Price) -> float:
    """Return the cost of cache breaks by the agent layer's own calls.

    `factor` converts our tokens to the provider's.
    """
    cost = 0.0
    for before, usage, flush in zip(sent.usages, sent.usages[1:], sent.breaks, strict=False):
        if flush is not None:
            missing = before.prompt - flush.saved * factor - usage.cache_read
            lost = max(0.0, min(flush.rewritten * factor, missing))
            cost += lost * (_write_rate(usage, price) - price.read)
    return cost


def _hits(sent: SentRequest, price: Price, last: _Last) -> float:
    """The share of the expected hits that came, as far as this exchange or the last one can tell.

    A request that breaks the cache tells nothing: what it misses is our doing, not the provider's.
    """
    broken = sent.flush is not None and not sent.shadow
    if not sent.usages or broken or last.cached < max(1, price.minimum):
        return last.hits
    return min(1.0, sent.usages[0].cache_read / last.cached)


def charge(usage: Usage, price: Price) -> float:
    """Return what the provider charges, by its own usage fields."""
    cost = usage.input + usage.cache_read * price.read + usage.cache_write * price.write
    return cost * _tier(price, usage.prompt)


def _cost(price: Price, tokens: float, cached: float, rate: float) -> float:
    found = max(0.0, min(cached, tokens))
    return (found * price.read + (tokens - found) * rate) * _tier(price, tokens)


def _write_rate(usage: Usage | None, price: Price) -> float:
    """Return the price of a token that was not in the cache.

    The usage shows whether the provider wrote such tokens to the cache.
    """
    if usage is None:
        return price.write
    new = usage.input + usage.cache_write
    return (usage.input + usage.cache_write * price.write) / new if new else price.write


def _tier(price: Price, tokens: float) -> float:
    return price.tier_factor if price.tier is not None and tokens > price.tier else 1.0
