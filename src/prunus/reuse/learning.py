"""What a new conversation learns from what its agent asked for again.

The likelihood of reuse rises for a kind of part that the agent asks for more often than expected. A strategy steps
back if far more of its parts are asked for again than is allowed: it then cuts nothing in new conversations,
until the agent has sent so many requests that the rate is low again.

A conversation learns once, at its start, and keeps that in its memo. So all replicas decide alike, and no edit is
taken back in the middle of a conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log
from typing import Final

import msgspec

from prunus.errors import FormatError
from prunus.reuse.asked_again import Experience, Tried
from prunus.strategies.asked import Requested

LOOKS: Final = 200
"""The weight of the expectation: it counts as much as this many seen parts or requests."""
TIMES: Final = 3
"""A strategy steps back at this many times the allowed number."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What one conversation has learned about its agent."""

    offsets: Mapping[str, float] = field(default_factory=dict)
    """How much the log-odds of reuse rise for a kind of part."""
    stepped_back: tuple[str, ...] = ()
    """The strategies that cut nothing in this conversation."""

    def dump(self) -> bytes:
        """Return this as JSON; empty if nothing was learned."""
        return b"" if self == Learned() else msgspec.json.encode(self)

    @classmethod
    def load(cls, raw: bytes) -> Learned:
        """Read what `dump` wrote."""
        try:
            return msgspec.json.decode(raw, type=cls) if raw else cls()
        except msgspec.MsgspecError as error:
            raise FormatError(f"not what a conversation learned: {error}") from error


def learn(experience: Experience, allowed: float) -> Learned:
    """Return what a new conversation learns from the experience with its agent.

    `allowed` is how many parts of one strategy may be asked for again in 1,000 requests.
    """
    kinds: dict[str, Tried] = {}
    for (_, kind), tried in experience.tried.items():
        if tried.expected:
            kinds[kind] = kinds.get(kind, Tried()) + tried
    offsets = {kind: offset for kind, tried in sorted(kinds.items()) if (offset := _offset(tried)) > 0}
    back = (
        name
        for name, tried in sorted(experience.strategies.items())
        if name != Requested.name and asked_rate(tried, experience.requests, allowed) >= TIMES * allowed
    )
    return Learned(offsets, tuple(back))


def asked_rate(tried: Tried, requests: int, allowed: float) -> float:
    """Return how many parts of a strategy are asked for again in 1,000 requests, as far as that is known.

    An agent that was hardly seen is assumed to ask for as many as are allowed.
    """
    return 1_000 * (tried.asked + LOOKS * allowed / 1_000) / (requests + LOOKS)


def _offset(tried: Tried) -> float:
    """How much higher the log-odds are than expected: the updated mean of a Beta distribution worth `LOOKS` parts.

    Offsets below 0 do not count: an agent does not ask for everything that it misses, so parts that it does not ask
    for are no reason to cut more.
    """
    expected = tried.expected / tried.cut
    seen = (LOOKS * expected + tried.asked) / (LOOKS + tried.cut)
    return round(_log_odds(seen) - _log_odds(expected), 2)


def _log_odds(share: float) -> float:
    kept = min(max(share, 1e-6), 1 - 1e-6)
    return log(kept / (1 - kept))
