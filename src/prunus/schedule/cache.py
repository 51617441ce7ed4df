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
fitted on recorded conversations, g from this conversation.

Nobody knows when a conversation ends. Were this request the last one, the whole break would be lost. So a flush
may cost no more than what pruning has brought in so far (`schedule/account.py`, counted request by request) and a
small share of all that was paid (`stake`): wherever it ends, it has cost at most that share more than without
pruning.

What goes may be used again, and then has to be read again. An edit that says how likely that is waits until what
it saves in the requests to come is more than `care` times what reading again costs. And the level promises a rate
of lost events, whatever the price. Waiting for the next flush lowers that rate, because some parts are used in the
meantime. So where a break costs less than usual (`DEFAULT` in `prices.py`, at which the levels were chosen) and
flushes come sooner, an edit of a file's text still waits for the flush that would pay at the usual price. Other
edits go as soon as they pay: what commands print is hardly ever lost.

Measured on the dev sessions against the best schedule for the same edits in hindsight (`lab/best_cuts.py`): the
cost is 1.042 of it at read 0.1 / write 1.25, 1.014 at 0.025 / 1.25 and 1.046 at 0.02 / 1.0. At 0.5 / 1.0 it was
1.024 before edits of files waited there for the usual price.

What lost (`bench/schedule.py`): a gain of four times the break, 0.005 dearer at 0.1 / 1.25, 0.014 at 0.02 / 1.0,
and at 0.5 / 1.0 cheaper by 0.007 with two and a half times the breaks; break-even, 0.007 dearer with three times
the breaks and one session at 1.03; a care of 4, dearer by 0.04 where reads cost 0.025. Where R comes from hardly
matters: as many again as there have been costs the same within 0.001, and the true number is no better.
`docs/levels.md` says what lost against waiting for the usual price.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, sqrt
from typing import ClassVar, Final

from prunus.edits import Proposal
from prunus.schedule.plan import Eager, OnRequest, Plan, Presses, RequestState, Schedule, WhenFull
from prunus.schedule.prices import DEFAULT, Price

_REQUEST: Final = 20_000
"""Tokens of a usual request."""
FITTED: Final = ((0, 51), (10, 57), (20, 64), (40, 70), (80, 72), (120, 92))
"""From which request on how many more follow on average."""
KNOWN: Final = 150
"""Requests beyond which fewer than ten of the recorded conversations went on."""


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

    def first_risky(self, state: RequestState) -> int:
        price = state.price
        if price.write * DEFAULT.read >= DEFAULT.write * price.read:
            return 0
        usual = replace(price, read=DEFAULT.read, write=DEFAULT.write)
        cheaper = usual.read / price.read
        at_usual = replace(state, price=usual, paid=state.paid * cheaper, earned=state.earned * cheaper)
        return min(self.plan(at_usual).cut, state.sent)

    def plan(self, state: RequestState) -> Plan:
        plan = self._plan(state)
        return Plan(max(plan.cut, _floor(state)), plan.reason)

    def _plan(self, state: RequestState) -> Plan:
        if state.cold:
            return Plan(0, state.cold)
        if state.forced and state.wanted:
            return _cheapest(list(self._cuts(state)), state.wanted, state.forced) or Plan(0, state.forced)
        # Were this the last request, the whole break would be lost. It may be no more than what was earned and a
        # small share of the cost without pruning, so that the conversation never costs much more than that.
        budget = state.earned + self.stake * state.paid
        paying = [cut for cut in self._cuts(state, paying=True) if cut.broken <= min(cut.saving, budget)]
        best = max(paying, key=lambda cut: self._worth(cut, state), default=None)
        if best is not None and self._worth(best, state) < 0:
            best = None
        if best is None:
            return Plan(state.sent, "not sent before")
        tier = state.price.tier
        if tier is not None and state.tokens - best.saved <= tier < state.tokens:
            return Plan(best.message, f"past {tier:,} tokens the whole request costs more")
        return Plan(best.message, f"saves {best.saved:,} tokens a request")

    def _worth(self, cut: _Cut, state: RequestState) -> float:
        """What a cut saves with each request, beyond what its break costs with each until the next such break."""
        requests = self.to_come(state.requests) + 1
        rate = sqrt(2 * state.price.read * state.growth * cut.broken)
        return cut.saving / requests - max(self.patience * rate, cut.broken / requests)

    def to_come(self, requests: int) -> int:
        """How many requests are expected to follow the one that is about to be sent."""
        return requests_to_come(requests + 1, self.ahead)

    def _cuts(self, state: RequestState, *, paying: bool = False) -> Iterator[_Cut]:
        """Every place where a flush could begin among what was sent, the newest first.

        With `paying`, it ends where no deeper cut can pay: the tail only grows, and what goes is bounded.
        """
        read, write = state.price.read, state.price.write
        ahead = self.to_come(state.requests)
        saved = 0
        most = sum(tokens for message, tokens in state.pending if tokens > 0 and message < state.sent)
        free = sum(tokens for message, tokens in state.pending if message >= state.sent)
        left = state.tokens - free
        dear = _dear(state, left, ahead)
        bound = state.tokens
        if paying and write > read:
            saving = read * most * (ahead + 1) + dear * _surcharge(state.price)
            bound = int(most + saving / (write - read)) + 1
        for message, tokens in reversed(state.pending):
            if message < state.sent:
                saved += tokens
                tail = state.tail(message)
                if tail > bound:
                    return
                head = state.tokens - state.new - tail
                # A prefix shorter than the provider's minimum is not found in the cache either.
                lost = head if head < state.price.minimum else 0
                broken = (write - read) * (max(0, tail - saved) + lost)
                saving = read * saved * (ahead + 1)
                if dear:
                    saving += (dear - _dear(state, left - saved, ahead)) * _surcharge(state.price)
                if state.price.tier is not None and left - saved > state.price.tier:
                    saving, broken = saving * state.price.tier_factor, broken * state.price.tier_factor
                yield _Cut(message, saved, saving, broken)


def _floor(state: RequestState) -> int:
    """The deepest cut that leaves enough to be cached.

    A request under the provider's minimum is not cached at all, so the shorter one may cost more.
    """
    left = state.tokens
    if not state.requests or left < state.price.minimum:
        return 0
    for message, tokens in reversed(state.pending):
        left -= tokens
        if left < state.price.minimum:
            return message + 1
    return 0


def _cheapest(cuts: Sequence[_Cut], wanted: float, reason: str) -> Plan | None:
    """The cut that costs least among those that free this many tokens."""
    enough = [cut for cut in cuts if cut.saved >= wanted]
    return Plan(max(enough, key=_gain).message, reason) if enough else None


def _dear(state: RequestState, tokens: int, ahead: int) -> int:
    """How many of this and the next requests are so long that they cost more, growing on from so many tokens."""
    tier = state.price.tier
    if tier is None or tokens > tier:
        return 0 if tier is None else ahead + 1
    growth = max(1, state.tokens // max(1, state.requests))
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


SCHEDULES: Final[tuple[type[Schedule], ...]] = (Cache, Eager, WhenFull, OnRequest)


def requests_to_come(so_far: int, bound: int) -> int:
    """How many requests are expected to follow after so many, this one included, counting at most `bound`."""
    row = bisect_right(FITTED, so_far, key=lambda row: row[0]) - 1
    mean = so_far if so_far > KNOWN else FITTED[row][1]
    return round(mean * (1 - exp(-bound / mean)))
