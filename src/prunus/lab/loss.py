"""The cost of lost content, and the rate of lost events with its interval.

A *lost event* is a request whose answer edits lines that the full history showed and the pruned request did not.
The agent then has to read again, with one more request for each missing part. This request pays the read price for
the context, the write price for the part, and the price of a short answer. A part that was read again counts as
visible in the next requests.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from prunus.schedule.prices import Price

Sampled = TypeVar("Sampled")

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
    value = _rate(lost, requests)
    if sum(conversations.values()) > _RESAMPLED:
        share = lost / requests
        squares = sum(count * (lost - share * sent) ** 2 for (lost, sent), count in sorted(conversations.items()))
        reach = _NORMAL * 1_000 * math.sqrt(squares) / requests
        return Rate(value, max(0.0, value - reach), value + reach)
    listed = [one for one, count in sorted(conversations.items()) for _ in range(count)]
    return Rate(value, *interval(listed, _sample_rate))


def _sample_rate(conversations: Sequence[tuple[int, int]]) -> float:
    return _rate(sum(lost for lost, _ in conversations), sum(requests for _, requests in conversations))


def _rate(lost: int, requests: int) -> float:
    return 1_000 * lost / requests if requests else 0.0


def interval(items: Sequence[Sampled], statistic: Callable[[Sequence[Sampled]], float]) -> tuple[float, float]:
    """The range that a figure falls into for 95 of 100 resampled sets of the items; the same on every call."""
    pick = random.Random(0)
    found = sorted(statistic(pick.choices(items, k=len(items))) for _ in range(_ROUNDS))
    return found[_ROUNDS * 25 // 1000], found[_ROUNDS * 975 // 1000 - 1]
