"""Chooses how long the provider's prompt cache lives, from what other choices would have saved so far.

A cache that nobody reads expires: after five minutes, or after an hour if the request asked for that and paid more
for each written token. A keep-alive request reads the cache once more shortly before it expires. Whether either
pays depends on the pauses of the user, and nobody knows the next pause. So a conversation keeps sums in hindsight:
what an hour would have saved, and what one, two or three keep-alive requests after each finished answer would have
saved, had they been chosen from the first request on. The choice that would have paid so far is made.

The sums are in uncached input tokens, so a pause counts by the context that had to be written again after it. They
are part of the memo of a conversation, so that replicas agree. A new conversation also knows the sums of the user's
earlier conversations.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Literal

import msgspec

from prunus.errors import FormatError
from prunus.schedule.prices import Price, request_cost, with_ttl

Lifetime = Literal["as sent", "1h", "auto"]

HOUR: Final = "1h"
"""The longer lifetime, as a request asks for it."""
MOST: Final = 3
"""Keep-alive requests after one answer, at most."""
_EARLY: Final = 14 / 15
"""The share of the cache's lifetime after which a keep-alive request is sent: after 280 of 300 seconds."""


def keep_alive_after(price: Price) -> float:
    """Return the seconds after which a keep-alive request reads a cache, so that it does not expire."""
    return _EARLY * price.ttl


@dataclass(frozen=True, slots=True)
class Following:
    """A request as it is sent, and how it follows the previous one."""

    pause: float
    """Seconds since the previous request; 0 for the first one."""
    answered: bool
    """The user has spoken, so the answer before it was finished and no tool was running."""
    tokens: int
    cached: int
    """The tokens that it shares with the previous request."""


@dataclass(frozen=True, slots=True)
class Hindsight:
    """What each choice of cache lifetime would have saved a conversation so far."""

    hour: float = 0.0
    """What the longer lifetime would have saved, less the cost of its dearer writes."""
    kept: tuple[float, ...] = (0.0,) * MOST
    """What at most one, two or three keep-alive requests after each answer would have saved, less their cost."""
    tokens: int = 0
    """The tokens of the newest request."""
    again: float = 0.0
    """What it costs to read these tokens once more."""

    def add(self, step: Following, as_sent: Price, now: Price) -> Hindsight:
        """Return the sums with one more request.

        `as_sent` is the price with the client's lifetime, `now` the price with the current one.
        """
        long = with_ttl(as_sent, HOUR)
        hour = self.hour + _cost(step, as_sent) - _cost(step, long)
        kept = tuple(
            sofar + self._saved_by(most, step, now) if step.answered else sofar
            for most, sofar in enumerate(self.kept, 1)
        )
        return Hindsight(hour, kept, step.tokens, now.read * step.tokens)

    def _saved_by(self, most: int, step: Following, price: Price) -> float:
        """Return what keep-alive requests in the pause before a request would have saved."""
        every = keep_alive_after(price)
        sent = min(most, int(step.pause / every))
        alive = step.pause <= sent * every + price.ttl
        spared = _cost(step, price) - _cost(replace(step, pause=0.0), price) if alive else 0.0
        return spared - sent * self.again

    def ended(self) -> Hindsight:
        """Return the sums for a conversation that has ended, whose last keep-alive requests were useless."""
        return replace(self, kept=tuple(saved - most * self.again for most, saved in enumerate(self.kept, 1)))


def total(every: Iterable[Hindsight]) -> Hindsight:
    """Return the sums over several conversations."""
    hour = 0.0
    kept: tuple[float, ...] = (0.0,) * MOST
    for one in every:
        hour += one.hour
        kept = tuple(a + b for a, b in zip(kept, one.kept, strict=True))
    return Hindsight(hour, kept)


@dataclass(frozen=True, slots=True)
class CacheLife:
    """The choices and sums about the cache lifetime of one conversation."""

    lifetime: str = ""
    """The lifetime that Prunus gave its cache marks; empty if they have the client's own."""
    kept: float = 0.0
    """The time of the newest keep-alive request."""
    own: Hindsight = Hindsight()
    usual: Hindsight = Hindsight()
    """The sums of the user's earlier conversations, when this one began."""

    def choose(self, wanted: Lifetime, as_sent: Price, tokens: int, *, anew: bool) -> str:
        """Return the lifetime for a request's cache marks; empty for the client's own.

        The lifetime changes only when all of the cache is written `anew`, at the start or after it was lost, so
        that no rewrite is paid for it. The hour is chosen if it would have paid so far, including the dearer write
        of this request.
        """
        long = with_ttl(as_sent, HOUR)
        if wanted == "as sent" or long == as_sent:
            return ""
        if wanted == HOUR:
            return HOUR
        if not anew:
            return self.lifetime
        return HOUR if self.own.hour + self.usual.hour > (long.write - as_sent.write) * tokens else ""

    def standing(self, wanted: Lifetime) -> str:
        """Return the lifetime of the cache marks of a request about which nothing new is decided."""
        return {"as sent": "", HOUR: HOUR, "auto": self.lifetime}[wanted]

    def keep_alives(self, most: int) -> int:
        """Return how many keep-alive requests pay after an answer, up to a limit."""
        sums = [0.0, *(own + usual for own, usual in zip(self.own.kept, self.usual.kept, strict=True))]
        return max(range(min(most, MOST) + 1), key=lambda count: (sums[count], -count))

    def dump(self) -> bytes:
        """Return this as JSON, without the time of the newest keep-alive request; empty if nothing is known."""
        if self == CacheLife(kept=self.kept):
            return b""
        return msgspec.json.encode((self.lifetime, self.own, self.usual))

    @classmethod
    def load(cls, raw: bytes, kept: float = 0.0) -> CacheLife:
        """Read the JSON that `dump` wrote."""
        if not raw:
            return cls(kept=kept)
        try:
            lifetime, own, usual = msgspec.json.decode(raw, type=tuple[str, Hindsight, Hindsight])
        except msgspec.MsgspecError as error:
            raise FormatError(f"not the life of a cache: {error}") from error
        return cls(lifetime, kept, own, usual)


def hindsight_of(lives: Iterable[bytes]) -> Hindsight:
    """Return the sums of ended conversations, from the JSON that `dump` wrote.

    JSON of another version of Prunus is ignored.
    """
    found: list[Hindsight] = []
    for raw in lives:
        with suppress(FormatError):
            found.append(CacheLife.load(raw).own.ended())
    return total(found)


def _cost(step: Following, price: Price) -> float:
    return request_cost(price, step.tokens, 0 if step.pause > price.ttl else step.cached)
