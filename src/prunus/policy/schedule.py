"""When the edits that were found are made.

Changing a message in the middle of a history throws away the provider's cache behind it: what was read at the
price r is written again at the price w. Say S tokens of pending edits lie behind a cut and T other tokens that
were cached. Flushing there costs (w - r) * T once and saves r * S in this request and in each of the R that
follow:

    gain = r * S * (R + 1) - (w - r) * T

Three things follow. Some moments are free: what was never sent has no cache to lose (T = 0), and a cold cache is
lost anyway. A shallow cut is cheap whatever the price, so recent edits need not wait for old ones: the cut is
chosen together with the time. And waiting has a value: the next requests bring more to flush behind the same
cut, and a flush now makes a later one dearer to justify. So plain break-even flushes too often; the gain has to
be `patience` times the price of the break.

R is unknown. A conversation that has lasted n requests is taken to last as many again, up to a bound.

Measured one thing at a time by bench/variants.py (preset lean, dev sessions, read 0.1, write 1.25): patience 4
with a bound of 40 costs 0.670 of no pruning and keeps 0.993 of the lines used later. Plain break-even loses on
every count (0.680, worst session 1.22 against 1.03, hard 0.983); patience 2 is a little cheaper and loses more
(0.666, hard 0.987), 8 is dearer and loses no less (0.684). A bound of 100 is a little cheaper and loses more
(0.667, hard 0.990), one of 20 dearer (0.682).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

from prunus.policy.prices import Price

__all__ = ["SCHEDULES", "Cache", "Eager", "Manual", "Moment", "Plan", "Pressure", "Schedule"]


@dataclass(frozen=True, slots=True)
class Moment:
    """What a schedule is told about a request that is about to be sent."""

    pending: Sequence[tuple[int, int]]
    """Messages with edits that are not in force, oldest first, and the tokens that would go in each."""
    sent: int
    """How many of the messages were in the request before."""
    tail: Callable[[int], int]
    """The tokens from a message on to the end of what was sent before, as it stands."""
    tokens: int
    """The tokens of the whole request as it stands."""
    requests: int
    """The requests of this conversation so far."""
    cold: str
    """Why the provider's cache is lost anyway; empty if it is warm."""
    price: Price
    window: int
    """Tokens that the model can take."""


@dataclass(frozen=True, slots=True)
class Plan:
    """From which message on pending edits are made, and why."""

    cut: int
    reason: str


class Schedule(Protocol):
    """Decides when. A frozen dataclass; its fields are its settings."""

    name: ClassVar[str]

    def plan(self, moment: Moment) -> Plan:
        """The cut for this request; behind the last message for none."""


@dataclass(frozen=True, slots=True)
class Eager:
    """Every edit is made as soon as it is found, as in the seeds."""

    name: ClassVar[str] = "eager"

    def plan(self, moment: Moment) -> Plan:
        return Plan(0, "at once")


@dataclass(frozen=True, slots=True)
class Manual:
    """Nothing is done unless it was asked for."""

    name: ClassVar[str] = "manual"

    def plan(self, moment: Moment) -> Plan:
        return Plan(1 << 62, "")


@dataclass(frozen=True, slots=True)
class Pressure:
    """Edits wait until the context fills up."""

    name: ClassVar[str] = "pressure"

    share: float = 0.75
    """The share of the model's window from which on edits are made."""

    def plan(self, moment: Moment) -> Plan:
        if moment.tokens >= self.share * moment.window:
            return Plan(0, f"the context is {moment.tokens / moment.window:.0%} full")
        return Plan(1 << 62, "")


@dataclass(frozen=True, slots=True)
class Cache:
    """Edits are made when they save more than the prompt cache they break."""

    name: ClassVar[str] = "cache"

    patience: float = 4.0
    """How many times the price of the break the gain has to be."""
    ahead: int = 40
    """Requests that are expected to follow, at most; before that as many as there have been."""
    pressure: float = 0.9
    """The share of the model's window from which on the price does not matter."""
    relief: float = 0.05
    """How much of the window a flush under pressure has to free."""

    def plan(self, moment: Moment) -> Plan:
        if moment.cold:
            return Plan(0, moment.cold)
        free = sum(tokens for message, tokens in moment.pending if message >= moment.sent)
        tokens = moment.tokens - free
        if tokens >= self.pressure * moment.window:
            cuts = list(self._cuts(moment))
            wanted = self.relief * moment.window
            reason = f"the context is {tokens / moment.window:.0%} full"
            return _cheapest(cuts, wanted, reason) or Plan(0, reason)
        tier = moment.price.tier
        if tier is not None and tokens > tier:
            plan = _cheapest(
                list(self._cuts(moment)), tokens - tier, f"past {tier:,} tokens the whole request costs more"
            )
            if plan is not None:
                return plan
        paying = [cut for cut in self._cuts(moment, paying=True) if cut.saving >= self.patience * cut.broken]
        best = max(paying, key=_gain, default=None)
        if best is None:
            return Plan(moment.sent, "not sent before")
        return Plan(best.message, f"saves {best.saved:,} tokens a request")

    def _cuts(self, moment: Moment, *, paying: bool = False) -> Iterator[_Cut]:
        """Every place where a flush could begin among what was sent, the newest first.

        With `paying`, it ends where no deeper cut can pay: the tail only grows, and what goes is bounded.
        """
        read, write = moment.price.read, moment.price.write
        ahead = min(moment.requests, self.ahead)
        saved = 0
        most = sum(tokens for message, tokens in moment.pending if tokens > 0 and message < moment.sent)
        bound = moment.tokens
        if paying and write > read:
            bound = int(most + read * most * (ahead + 1) / (self.patience * (write - read) or 1e-9)) + 1
        for message, tokens in reversed(moment.pending):
            if message < moment.sent:
                saved += tokens
                tail = moment.tail(message)
                if tail > bound:
                    return
                head = moment.tokens - tail
                # A prefix shorter than the provider's minimum is not found in the cache either.
                lost = head if head < moment.price.minimum else 0
                broken = (write - read) * (max(0, tail - saved) + lost)
                yield _Cut(message, saved, read * saved * (ahead + 1), broken)


def _cheapest(cuts: Sequence[_Cut], wanted: float, reason: str) -> Plan | None:
    """The cut that costs least among those that free this many tokens."""
    enough = [cut for cut in cuts if cut.saved >= wanted]
    return Plan(max(enough, key=_gain).message, reason) if enough else None


@dataclass(frozen=True, slots=True)
class _Cut:
    message: int
    saved: int
    """Tokens that go with each request."""
    saving: float
    """What that saves in this request and those that follow."""
    broken: float
    """What it costs to write the rest again."""


def _gain(cut: _Cut) -> float:
    return cut.saving - cut.broken


SCHEDULES: Final[tuple[type[Schedule], ...]] = (Cache, Eager, Pressure, Manual)
