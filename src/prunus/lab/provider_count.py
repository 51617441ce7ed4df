"""The tokens of a recorded session as the provider counted them, where the recording says so.

Agents record messages, and seldom the system text and the tools that they send before them. The provider counts all
of it, with a tokenizer of its own. So the tokens around the messages, and the provider's tokens for one of ours,
are taken from the counts that the agent recorded with the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from prunus.lab.replay import Replay

_GROWN: Final = 2_000
"""Tokens by which a session must have grown before its counts tell how the provider counts."""
_LEAST, _MOST = 0.5, 2.0
"""No tokenizer differs more from our estimate; a larger difference has other reasons."""


@dataclass(frozen=True, slots=True)
class ProviderCount:
    """How a provider counts a session."""

    rate: float = 1.0
    """Its tokens for one of ours."""
    around: int = 0
    """Its tokens of what stands around the messages beyond what was recorded."""
    known: bool = False
    """Whether the recording tells."""

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


def provider_count(billed: Sequence[int], unpruned: Replay) -> ProviderCount:
    """Return how the provider counts, by its counts and by ours for the requests as they were recorded."""
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
