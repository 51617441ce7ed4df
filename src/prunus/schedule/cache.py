"""The schedule `cache`: makes edits when they save more than the prompt cache that they break.

A change in the middle of a history invalidates the provider's cache behind it: tokens that were read at the price r
are written again at the price w. Say S tokens of pending edits lie behind a cut, and T other tokens that were
cached. A flush there costs B = (w - r) * T once, and saves r * S in this request and in each later one.

Some moments are free: a part that was never sent has no cache to lose (T = 0), and a cold cache is lost anyway. A
cut near the end is cheap at any price, so recent edits need not wait for old ones: the schedule chooses the cut
together with the time. Waiting has a value too, because the next requests bring more edits behind the same cut. If
each request brings g tokens of new edits, a flush every k requests costs B / k + r * g * k / 2 per request: the
break, and the edits that wait in the meantime. This is the classic problem of ordering for a stock. The cost is
least at k = sqrt(2 * B / (r * g)), where it is sqrt(2 * r * g * B) per request. So a cut is worth

    r * S - patience * sqrt(2 * r * g * B)

per request. The cut that is worth most is made if its worth is positive. If few requests are left, the break has to
pay within those: B / (R + 1) replaces the rate if it is higher. R comes from a table fitted on recorded
conversations, g from this conversation.

Nobody knows when a conversation ends. If this request were the last one, the whole cost of the break would be lost.
So a flush may cost no more than the savings so far (`schedule/plan.py`, counted request by request) plus a small
share of everything that was paid (`stake`). Whenever the conversation ends, it has cost at most that share more
than without pruning.

A removed part may be used again, and then has to be read again. An edit with a known probability of reuse waits
until its expected savings exceed `care` times the cost of reading again. A level also promises a rate of lost
events at any price. Waiting for the next flush lowers that rate, because some parts are used in the meantime. Where
a break costs less than usual, flushes come sooner. There, an edit of a file's text still waits for the flush that
would pay at the usual price (`DEFAULT` in `prices.py`, at which the levels were chosen). Other edits are made as
soon as they pay, because the output of commands is hardly ever used again.

`docs/numbers.md` compares the cost with the best schedule for the same edits in hindsight
(`lab/best_cuts.py`), and with the variants in `bench/schedule.py` that were tried: a gain of four times the break,
break-even, and a care of 4 are dearer at most prices or break the cache more often. The source of R hardly matters:
assuming as many requests again as there have been costs the same within 0.001, and the true number is no better.
`docs/levels.md` has the alternatives to waiting for the usual price.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, sqrt
from typing import ClassVar, Final

from prunus.edits import Proposal
from prunus.schedule.plan import Eager, OnRequest, Plan, Presses, RequestState, Schedule, WhenFull
from prunus.schedule.prices import DEFAULT, Price

_REQUEST: Final = 20_000
"""Tokens of a typical request."""
FITTED: Final = ((0, 51), (10, 57), (20, 64), (40, 70), (80, 72), (120, 92))
"""Pairs of a request number, and how many requests follow on average from that request on."""
KNOWN: Final = 150
"""Request number that fewer than ten of the recorded conversations went beyond."""


@dataclass(frozen=True, slots=True)
class Cache:
    """Makes edits when they save more than the prompt cache that they break."""

    name: ClassVar[str] = "cache"
    presses: ClassVar[Presses] = "lasting"

    patience: float = 1.5
    """How much longer to wait than would be best if new edits came evenly and for ever."""
    ahead: int = 40
    """How many expected future requests count at most."""
    stake: float = 0.03
    """The share of the cost without pruning that may be risked, in addition to the savings so far."""
    care: float = 2.0
    """How many times the cost of reading again counts against an edit whose text may be used again."""

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        saving = price.read * edit.saved * (self.to_come(requests) + 1)
        # If the text is used again, it is written to the cache once more, and that takes one more request.
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
            enough = (cut for cut in self._cuts(state) if cut.saved >= state.wanted)
            cheapest = max(enough, key=lambda cut: cut.saving - cut.broken, default=None)
            return Plan(0 if cheapest is None else cheapest.message, state.forced)
        # If this is the last request, the whole cost of the break is lost. So the break may cost no more than the
        # savings so far and a small share of the cost without pruning: the conversation never gets much dearer.
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
        """Return what a cut saves per request, less its share of the cost of the break."""
        requests = self.to_come(state.requests) + 1
        rate = sqrt(2 * state.price.read * state.growth * cut.broken)
        return cut.saving / requests - max(self.patience * rate, cut.broken / requests)

    def to_come(self, requests: int) -> int:
        """Return how many requests are expected to follow the one that is about to be sent."""
        return requests_to_come(requests + 1, self.ahead)

    def _cuts(self, state: RequestState, *, paying: bool = False) -> Iterator[_Cut]:
        """Yield every message among the sent ones where a flush could begin, newest first.

        With `paying`, stop where no deeper cut can pay: the cost of the break only grows, and the savings are
        bounded.
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
    """Return the deepest cut that leaves enough tokens to be cached.

    A request under the provider's minimum is not cached at all, so a shorter request may cost more.
    """
    left = state.tokens
    if not state.requests or left < state.price.minimum:
        return 0
    for message, tokens in reversed(state.pending):
        left -= tokens
        if left < state.price.minimum:
            return message + 1
    return 0


def _dear(state: RequestState, tokens: int, ahead: int) -> int:
    """Return how many of this and the next requests cost more because of their length.

    This request has `tokens` tokens, and requests go on growing as before.
    """
    tier = state.price.tier
    if tier is None or tokens > tier:
        return 0 if tier is None else ahead + 1
    growth = max(1, state.tokens // max(1, state.requests))
    return max(0, ahead - (tier - tokens) // growth)


def _surcharge(price: Price) -> float:
    """Return the additional cost of a request that is just over the limit."""
    return (price.tier_factor - 1) * price.read * (price.tier or 0)


@dataclass(frozen=True, slots=True)
class _Cut:
    message: int
    saved: int
    """Tokens that each request then has fewer."""
    saving: float
    """What these tokens save in this request and the next ones."""
    broken: float
    """What it costs to write the tokens behind the cut to the cache again."""


SCHEDULES: Final[tuple[type[Schedule], ...]] = (Cache, Eager, WhenFull, OnRequest)


def requests_to_come(so_far: int, bound: int) -> int:
    """Return how many requests are expected to follow the first `so_far`, counting at most about `bound`."""
    row = bisect_right(FITTED, so_far, key=lambda row: row[0]) - 1
    mean = so_far if so_far > KNOWN else FITTED[row][1]
    return round(mean * (1 - exp(-bound / mean)))
