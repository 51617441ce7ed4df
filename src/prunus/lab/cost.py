"""The cost of a replayed conversation, in tokens of uncached input, and the cost and rate of lost content.

Tokens are our estimates, or the provider's counts where the agent recorded them with the answers. Agents record
messages, and seldom the system text and the tools that they send before them. The provider counts all of it, with a
tokenizer of its own. So both the tokens around the messages and the provider's tokens for one of ours are taken
from the recorded counts.

A *lost event* is a request whose answer edits lines that the full history showed and the pruned request did not.
The agent then has to read again, with one more request for each missing part. This request pays the read price for
the context, the write price for the part, and the price of a short answer. A part that was read again counts as
visible in the next requests.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, TypeVar

from prunus.errors import SettingsError
from prunus.lab.replay import Replay, Sent
from prunus.schedule.prices import NAMED_ROWS, Price, request_cost

Sampled = TypeVar("Sampled")
Writes = Mapping[str, tuple[int, int]]
"""For each reason of `prunus.report.cache_misses`, the requests and the tokens that they write."""
_GROWN: Final = 2_000
"""Tokens by which a session must have grown before its counts tell how the provider counts."""
_LEAST, _MOST = 0.5, 2.0
"""No tokenizer differs more from our estimate; a larger difference has other reasons."""
VISIBLE: Final = 30
"""A part that was read again counts as visible for this many requests."""
ANSWER: Final = 150
"""The tokens of an answer that asks for a missing part."""
OUTPUT: Final = 5.0
"""The price of an output token, relative to uncached input."""
_ROUNDS: Final = 1_000
"""How often a sample is drawn again."""
_RESAMPLED: Final = 2_000
"""The most conversations whose interval is found by resampling."""
_NORMAL: Final = 1.96
"""Standard deviations on each side that hold 95 % of a normal distribution."""


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


def provider_count(billed: Sequence[int], unpruned: Replay) -> ProviderCount:
    """Return how the provider's token counts follow from ours, by the recorded requests of which both are known."""
    pairs: list[tuple[int, int]] = []
    for one, count in zip(unpruned.requests, billed, strict=False):
        if pairs and 0 < count < pairs[-1][1]:
            # A history only grows. Something cut it here: the client itself, or Prunus in front of the provider.
            break
        if count:
            pairs.append((one.tokens, count))
    if not pairs:
        return ProviderCount()
    (small, first), (large, last) = min(pairs), max(pairs)
    rate = (last - first) / (large - small) if large - small >= _GROWN else 1.0
    rate = min(_MOST, max(_LEAST, rate))
    around = median(count - rate * tokens for tokens, count in pairs)
    return ProviderCount(rate, max(0, round(around)), known=True)


@dataclass(frozen=True, slots=True)
class ProviderCount:
    """How a provider counts a session."""

    rate: float = 1.0
    """Its tokens for one of ours."""
    around: int = 0
    """Its tokens for system text and tools that were sent around the messages and not recorded."""
    known: bool = False
    """Whether the recording has counts of the provider."""

    def of(self, replayed: Replay) -> Replay:
        """Return a replay with the provider's tokens."""
        if not self.known:
            return replayed
        requests = tuple(
            replace(
                one,
                tokens=round(self.rate * one.tokens) + self.around,
                cached=round(self.rate * one.cached) + self.around if one.cached else 0,
                broken=round(self.rate * one.broken),
            )
            for one in replayed.requests
        )
        return replace(replayed, requests=requests)


@dataclass(frozen=True, slots=True)
class LostPart:
    """A part that the agent must read again before it can make an edit."""

    request: int
    """The request whose answer needs the part."""
    context: int
    """The tokens of that request."""
    tokens: int
    """The tokens of the part."""
    place: int
    """The index of the part among all parts of the full history."""

    def cost(self, price: Price) -> float:
        """Return the cost of reading the part again, in tokens of uncached input."""
        return self.context * price.read + self.tokens * price.write + ANSWER * OUTPUT


def events(lost: Iterable[LostPart]) -> int:
    """Return the number of requests with a lost part."""
    return len({part.request for part in lost})


@dataclass(frozen=True, slots=True)
class Rate:
    """Lost events per 1,000 requests, with the 95 % interval over resampled sets of conversations."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1f} ({self.low:.1f}-{self.high:.1f})"


def lost_rate(conversations: Iterable[tuple[int, int]]) -> Rate:
    """Return the rate over conversations, each given as its lost events and its requests, in any order."""
    return counted_rate(Counter(conversations))


def counted_rate(conversations: Mapping[tuple[int, int], int]) -> Rate:
    """Return the same from the number of conversations of each kind.

    Many conversations need no resampling: the interval is that of the normal distribution of a ratio of sums.
    """
    requests = sum(sent * count for (_, sent), count in conversations.items())
    lost = sum(lost * count for (lost, _), count in conversations.items())
    if not requests or not lost:
        return Rate(0.0, 0.0, 0.0)
    value = 1_000 * lost / requests
    if sum(conversations.values()) > _RESAMPLED:
        share = lost / requests
        squares = sum(count * (lost - share * sent) ** 2 for (lost, sent), count in sorted(conversations.items()))
        reach = _NORMAL * 1_000 * math.sqrt(squares) / requests
        return Rate(value, max(0.0, value - reach), value + reach)
    listed = [one for one, count in sorted(conversations.items()) for _ in range(count)]
    return Rate(value, *interval(listed, _rate))


def _rate(conversations: Sequence[tuple[int, int]]) -> float:
    lost, requests = (sum(numbers) for numbers in zip(*conversations, strict=True))
    return 1_000 * lost / requests if requests else 0.0


def interval(items: Sequence[Sampled], statistic: Callable[[Sequence[Sampled]], float]) -> tuple[float, float]:
    """The range that a figure falls into for 95 of 100 resampled sets of the items; the same on every call."""
    pick = random.Random(0)
    found = sorted(statistic(pick.choices(items, k=len(items))) for _ in range(_ROUNDS))
    return found[_ROUNDS * 25 // 1000], found[_ROUNDS * 975 // 1000 - 1]
