"""When the edits that were found are made.

Changing a message in the middle of a history throws away the provider's cache behind it: what was read at the
price r is written again at the price w. Say S tokens of pending edits lie behind a cut and T other tokens that
were cached. Flushing there breaks B = (w - r) * T once and saves r * S in this request and in each that follows.

Some moments are free: what was never sent has no cache to lose (T = 0), and a cold cache is lost anyway. A
shallow cut is cheap whatever the price, so recent edits need not wait for old ones: the cut is chosen together
with the time. And waiting has a value, because the next requests bring more to flush behind the same cut. If g
tokens of new edits come with each request, a flush every k requests costs B / k + r * g * k / 2 with each: the
break, and what lies about in the meantime. That is the oldest problem of keeping stock; it is least at k = sqrt(2
* B / (r * g)), where the flush costs sqrt(2 * r * g * B) with each request. So a cut is worth

    r * S - patience * sqrt(2 * r * g * B)

with each request, and the cut that is worth most is made if that is more than nothing. Where few requests are
left, the break has to pay in those: B / (R + 1) takes the place of the rate if it is more. R comes from a table
fitted on recorded conversations (`schedule/requests.py`), g from this conversation.

Nobody knows when a conversation ends. Were this request the last one, the whole break would be lost. So a flush
may cost no more than what pruning has brought in so far (`schedule/account.py`, counted request by request) and a
small share of all that was paid (`stake`): wherever it ends, it has cost at most that share more than without
pruning.

What goes may be used again, and then has to be read again. An edit that says how likely that is waits until what
it saves in the requests to come is more than `care` times what reading again costs.

Measured on the dev sessions against the best schedule for the same edits in hindsight (`lab/best_cuts.py`): the
cost is 1.042 of it at read 0.1 / write 1.25, 1.014 at 0.025 / 1.25, 1.024 at 0.5 / 1.0 and 1.046 at 0.02 / 1.0.
What lost (`bench/schedule.py`): a gain of four times the break, 0.005 dearer at 0.1 / 1.25, 0.014 at 0.02 / 1.0,
and at 0.5 / 1.0 cheaper by 0.007 with two and a half times the breaks; break-even, 0.007 dearer with three times
the breaks and one session at 1.03; a care of 4, dearer by 0.04 where reads cost 0.025. Where R comes from hardly
matters: as many again as there have been costs the same within 0.001, and the true number is no better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Final, Literal, Protocol

from prunus.edits import Proposal
from prunus.schedule.prices import Price
from prunus.schedule.requests import requests_to_come

__all__ = ["SCHEDULES", "Cache", "Eager", "Manual", "Moment", "Plan", "Presses", "Pressure", "Schedule"]

Presses = Literal["lasting", "anew", "never"]

_REQUEST: Final = 20_000
"""Tokens of a usual request."""


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
    paid: float = 0.0
    """What the conversation would have cost so far without pruning, this request included; no more than that."""
    earned: float = 0.0
    """What the flushes so far have brought in, net of the cache they broke."""
    new: int = 0
    """The tokens of the messages that were not in the request before."""
    growth: float = 0.0
    """Tokens that new edits have added to what waits, or to what was flushed, with each request so far."""
    forced: str = ""
    """Why edits have to be made whatever they cost, because the context runs short; empty if they need not."""
    wanted: int = 0
    """Tokens that then have to be freed of what was sent before; 0 where what is new frees enough."""


@dataclass(frozen=True, slots=True)
class Plan:
    """From which message on pending edits are made, and why."""

    cut: int
    reason: str


class Schedule(Protocol):
    """Decides when. A frozen dataclass; its fields are its settings."""

    name: ClassVar[str]
    presses: ClassVar[Presses]
    """How it lets more go when the context runs short: for good, as long as it is short, or not at all."""

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        """Whether an edit is worth the risk that what goes is used again, after so many requests."""

    def plan(self, moment: Moment) -> Plan:
        """The cut for this request; behind the last message for none."""


@dataclass(frozen=True, slots=True)
class Eager:
    """Every edit is made as soon as it is found, as in the seeds.

    What goes then depends on the history alone, not on how it grew.
    """

    name: ClassVar[str] = "eager"
    presses: ClassVar[Presses] = "anew"

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        return True

    def plan(self, moment: Moment) -> Plan:
        return Plan(0, moment.forced or "at once")


@dataclass(frozen=True, slots=True)
class Manual:
    """Nothing is done unless it was asked for."""

    name: ClassVar[str] = "manual"
    presses: ClassVar[Presses] = "never"

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        return True

    def plan(self, moment: Moment) -> Plan:
        return Plan(1 << 62, "")


@dataclass(frozen=True, slots=True)
class Pressure:
    """Edits wait until the context fills up."""

    name: ClassVar[str] = "pressure"
    presses: ClassVar[Presses] = "lasting"

    share: float = 0.75
    """The share of the model's window from which on edits are made."""

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        return True

    def plan(self, moment: Moment) -> Plan:
        if moment.tokens >= self.share * moment.window:
            return Plan(0, f"the context is {moment.tokens / moment.window:.0%} full")
        return Plan(0, moment.forced) if moment.forced else Plan(1 << 62, "")


@dataclass(frozen=True, slots=True)
class Cache:
    """Edits are made when they save more than the prompt cache they break."""

    name: ClassVar[str] = "cache"
    presses: ClassVar[Presses] = "lasting"

    patience: float = 1.5
    """How much longer to wait than would be best if new edits came evenly and for ever."""
    ahead: int = 40
    """Requests that are counted on, at most, of those that are expected to follow."""
    stake: float = 0.03
    """The share of the cost without pruning that may be risked, beyond what pruning has brought in."""
    care: float = 2.0
    """How many times what reading again costs it counts if something goes that is used again."""

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        saving = price.read * edit.saved * (self.to_come(requests) + 1)
        # Were it used again, its text would be written once more, in a request more.
        loss = edit.reuse * (price.write * edit.tokens_before + price.read * _REQUEST)
        return saving >= self.care * loss

    def plan(self, moment: Moment) -> Plan:
        plan = self._plan(moment)
        return Plan(max(plan.cut, _floor(moment)), plan.reason)

    def _plan(self, moment: Moment) -> Plan:
        if moment.cold:
            return Plan(0, moment.cold)
        if moment.forced and moment.wanted:
            return _cheapest(list(self._cuts(moment)), moment.wanted, moment.forced) or Plan(0, moment.forced)
        # Were this the last request, the whole break would be lost. It may be no more than what was earned and a
        # small share of the cost without pruning, so that the conversation never costs much more than that.
        purse = moment.earned + self.stake * moment.paid
        paying = [cut for cut in self._cuts(moment, paying=True) if cut.broken <= min(cut.saving, purse)]
        best = max(paying, key=lambda cut: self._worth(cut, moment), default=None)
        if best is not None and self._worth(best, moment) < 0:
            best = None
        if best is None:
            return Plan(moment.sent, "not sent before")
        tier = moment.price.tier
        if tier is not None and moment.tokens - best.saved <= tier < moment.tokens:
            return Plan(best.message, f"past {tier:,} tokens the whole request costs more")
        return Plan(best.message, f"saves {best.saved:,} tokens a request")

    def _worth(self, cut: _Cut, moment: Moment) -> float:
        """What a cut saves with each request, beyond what its break costs with each until the next such break."""
        requests = self.to_come(moment.requests) + 1
        rate = sqrt(2 * moment.price.read * moment.growth * cut.broken)
        return cut.saving / requests - max(self.patience * rate, cut.broken / requests)

    def to_come(self, requests: int) -> int:
        """How many requests are expected to follow the one that is about to be sent."""
        return requests_to_come(requests + 1, self.ahead)

    def _cuts(self, moment: Moment, *, paying: bool = False) -> Iterator[_Cut]:
        """Every place where a flush could begin among what was sent, the newest first.

        With `paying`, it ends where no deeper cut can pay: the tail only grows, and what goes is bounded.
        """
        read, write = moment.price.read, moment.price.write
        ahead = self.to_come(moment.requests)
        saved = 0
        most = sum(tokens for message, tokens in moment.pending if tokens > 0 and message < moment.sent)
        free = sum(tokens for message, tokens in moment.pending if message >= moment.sent)
        left = moment.tokens - free
        dear = _dear(moment, left, ahead)
        bound = moment.tokens
        if paying and write > read:
            saving = read * most * (ahead + 1) + dear * _surcharge(moment.price)
            bound = int(most + saving / (write - read)) + 1
        for message, tokens in reversed(moment.pending):
            if message < moment.sent:
                saved += tokens
                tail = moment.tail(message)
                if tail > bound:
                    return
                head = moment.tokens - moment.new - tail
                # A prefix shorter than the provider's minimum is not found in the cache either.
                lost = head if head < moment.price.minimum else 0
                broken = (write - read) * (max(0, tail - saved) + lost)
                saving = read * saved * (ahead + 1)
                if dear:
                    saving += (dear - _dear(moment, left - saved, ahead)) * _surcharge(moment.price)
                if moment.price.tier is not None and left - saved > moment.price.tier:
                    saving, broken = saving * moment.price.tier_factor, broken * moment.price.tier_factor
                yield _Cut(message, saved, saving, broken)


def _floor(moment: Moment) -> int:
    """The deepest cut that leaves enough to be cached.

    A request under the provider's minimum is not cached at all, so the shorter one may cost more.
    """
    left = moment.tokens
    if not moment.requests or left < moment.price.minimum:
        return 0
    for message, tokens in reversed(moment.pending):
        left -= tokens
        if left < moment.price.minimum:
            return message + 1
    return 0


def _cheapest(cuts: Sequence[_Cut], wanted: float, reason: str) -> Plan | None:
    """The cut that costs least among those that free this many tokens."""
    enough = [cut for cut in cuts if cut.saved >= wanted]
    return Plan(max(enough, key=_gain).message, reason) if enough else None


def _dear(moment: Moment, tokens: int, ahead: int) -> int:
    """How many of this and the next requests are so long that they cost more, growing on from so many tokens."""
    tier = moment.price.tier
    if tier is None or tokens > tier:
        return 0 if tier is None else ahead + 1
    growth = max(1, moment.tokens // max(1, moment.requests))
    return max(0, ahead - (tier - tokens) // growth)


def _surcharge(price: Price) -> float:
    """What a request that is just too long costs beyond one that is not."""
    return (price.tier_factor - 1) * price.read * (price.tier or 0)


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
