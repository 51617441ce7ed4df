"""What the life of the prompt cache costs in recorded conversations: longer lifetimes, and keep-alive requests.

The lab replays a conversation with its recorded times through the pruner that the proxy uses, so that lifetimes and
keep-alive requests are chosen as they are there. A keep-alive request costs one read of the request before it. If a
recording ends with a finished answer, its user does not come back: the last keep-alive requests were for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import msgspec

from prunus.clients.sessions import Session
from prunus.history import Call, Message
from prunus.lab.policy import PrunusSender
from prunus.lab.replay import Reader, Sent, replay
from prunus.providers import provider_named
from prunus.pruner import Pruner
from prunus.schedule.cache_life import HOUR, Lifetime, keep_alive_after
from prunus.schedule.prices import Price, request_cost, with_ttl
from prunus.settings import Settings


@dataclass(frozen=True, slots=True)
class CachePlan:
    """A way to make the cache live longer."""

    lifetime: Lifetime = "as sent"
    keep_alive: int = 0
    always: bool = False
    """Send that many keep-alive requests in every pause, whether they would have paid so far or not."""

    def pruner(self, preset: str, price: Price) -> Pruner:
        """Return a pruner for the conversations of one user."""
        told = {name: getattr(price, name) for name in ("read", "write", "ttl", "long_write", "long_ttl")}
        cache = {"lifetime": self.lifetime, "keep_alive": 0 if self.always else self.keep_alive}
        # A store would remember the user's earlier conversations for longer than a process does.
        limits = {"idle": 365 * 86_400}
        return Pruner(Settings(preset=preset, prices=[{"model": "*", **told}], cache=cache, limits=limits))


@dataclass(frozen=True, slots=True)
class LifeCost:
    """The cost of a conversation, in tokens of uncached input."""

    cost: float = 0.0
    requests: int = 0
    cold: int = 0
    """Requests that came after the cache had expired."""
    keep_alives: int = 0
    cost_of_keep_alives: float = 0.0
    """The part of `cost` that pays for them."""
    hours: int = 0
    """Requests whose cache marks asked for an hour."""


def has_times(session: Session) -> bool:
    """Return whether the recording says when each request was sent."""
    return None not in session.times


def pauses(session: Session) -> list[tuple[float, bool]]:
    """Return the seconds between each two requests, and whether the user has spoken between them."""
    gaps = (after - before for before, after in pairwise(time or 0.0 for time in session.times))
    return list(zip(gaps, [*_answered(session, _parsed(session))][1:], strict=True))


def life_cost(session: Session, plan: CachePlan, pruner: Pruner, price: Price) -> LifeCost:
    """Return the cost of a conversation with recorded times."""
    messages = _parsed(session)
    sender = _Sender(plan, pruner, price, [*_answered(session, messages)])
    sent = replay(session, sender, Reader(provider_named(session.format))).requests
    if _is_finished(messages):
        sender.keep_alive(float("inf"))
    found = LifeCost(requests=len(sent))
    for before, now, life in zip((None, *sent[:-1]), sent, sender.lives, strict=True):
        found = _add(found, before, now, life, price)
    last = with_ttl(price, sender.lives[-1].lifetime)
    ends = sender.kept * last.read * sent[-1].tokens
    return replace(
        found,
        cost=found.cost + ends,
        keep_alives=found.keep_alives + sender.kept,
        cost_of_keep_alives=found.cost_of_keep_alives + ends,
    )


@dataclass(frozen=True, slots=True)
class _Life:
    """How long the cache lives from one request on, and what happened before that request."""

    lifetime: str
    before: str
    """The lifetime of the request before."""
    kept: int
    """Keep-alive requests in the pause before it."""
    idle: float
    """Seconds since the cache was read or written."""


def _add(found: LifeCost, before: Sent | None, now: Sent, life: _Life, price: Price) -> LifeCost:
    held, price = with_ttl(price, life.before), with_ttl(price, life.lifetime)
    cold = before is not None and life.idle > held.ttl
    kept = life.kept * held.read * before.tokens if before is not None else 0.0
    return LifeCost(
        found.cost + kept + request_cost(price, now.tokens, 0 if cold else now.cached),
        found.requests,
        found.cold + cold,
        found.keep_alives + life.kept,
        found.cost_of_keep_alives + kept,
        found.hours + (life.lifetime == HOUR),
    )


class _Sender(PrunusSender):
    """Sends one conversation through a pruner, with keep-alive requests in the pauses of its user."""

    def __init__(self, plan: CachePlan, pruner: Pruner, price: Price, answered: list[bool]) -> None:
        super().__init__(pruner)
        self._plan = plan
        self._price = price
        self._answered = answered
        self._time = 0.0
        self._refreshed = 0.0
        self.kept = 0
        """Keep-alive requests since the last request."""
        self.lives: list[_Life] = []

    def __call__(self, body: Any, now: float | None) -> Any:
        assert now is not None
        if self._answered[len(self.lives)]:
            self.keep_alive(now)
        before = self.last.lifetime
        self.last = self._pruner.prune(body, now=now, marks=True)
        self.lives.append(_Life(self.last.lifetime, before, self.kept, now - self._refreshed))
        self._time = self._refreshed = now
        self.kept = 0
        return self.last.body

    def keep_alive(self, until: float) -> None:
        """Send keep-alive requests in a pause of the user that lasts until then."""
        place = self.last.conversation, self.last.request
        plan, warmth = self._plan, self._pruner.warmth
        most = plan.keep_alive if plan.always else warmth.keep_alives(*place, plan.keep_alive)
        every = keep_alive_after(with_ttl(self._price, self.last.lifetime))
        while self.kept < most and self._refreshed + every < until:
            self._refreshed += every
            self.kept += 1
            warmth.refresh(*place, self._refreshed)


def _parsed(session: Session) -> list[Message]:
    format = provider_named(session.format)
    return [format.parse(message, msgspec.json.encode(message)) for message in session.messages]


def _answered(session: Session, messages: list[Message]) -> Iterator[bool]:
    """Yield for each request whether the user has spoken since the request before."""
    before = 0
    for number, end in enumerate(session.requests):
        yield number > 0 and any(message.spoken for message in messages[before:end])
        before = end


def _is_finished(messages: list[Message]) -> bool:
    """Return whether a recording ends with an answer that calls no tool."""
    last = messages[-1]
    return last.role == "assistant" and not any(isinstance(part, Call) for part in last.parts)
