"""Gives a schedule the state of one request, and records its decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from prunus.conversations.memory import ConversationRecord
from prunus.engine import Engine
from prunus.schedule.budget import budget, thinking_tokens
from prunus.schedule.cache_life import Following
from prunus.schedule.ledger import Flush
from prunus.schedule.plan import Account, OnRequest, Plan, RequestState, Schedule
from prunus.schedule.pressure import DEPTH, Fill, Pressure
from prunus.schedule.prices import Price, request_cost

STEPS = tuple(DEPTH)
UNKNOWN = "requests passed that the store does not know"
"""The reason of a cache break after which the edits in force are made again."""
_FLUSHES = 200
"""Flushes that are remembered for one conversation at most."""


@dataclass(slots=True, eq=False)
class Timing:
    """Asks the schedule about one request, given the memo of the request before."""

    _engine: Engine
    _memo: ConversationRecord
    _around: int
    """The tokens outside the messages."""
    _schedule: Schedule
    _pressure: Pressure
    _price: Price
    _window: int
    _now: float
    _cold: str
    """Why the cache is lost; the caller gives any reason but its age."""
    _ttl: float
    """Seconds for which the cache lives without use, as the previous request set it."""
    _sent: int
    """The messages that the provider has seen before. If these are more than the memo knows, requests have passed
    that may have been sent without edits."""
    _lost: bool = field(init=False)
    """Whether there is no cache, whatever its age."""
    flush: Flush | None = field(default=None, init=False)
    """The break that this request declares, once it was asked for its cut."""

    def __post_init__(self) -> None:
        self._lost = bool(self._cold) or not self._memo.requests
        idle = self._now - self._memo.refreshed
        if not self._lost and idle > self._ttl:
            self._cold = f"idle for {idle:.0f} seconds"

    @property
    def flushes(self) -> tuple[Flush, ...]:
        """Return all flushes so far, including that of this request."""
        before = self._memo.ledger.flushes
        return before if self.flush is None else (*before, self.flush)[-_FLUSHES:]

    def cut(self) -> int:
        """Return the message from which on pending edits are made in this request."""
        cut = self._cut()
        first = min((edit.target.message for edit in self._memo.ledger.edits), default=self._sent)
        if self._sent > self._memo.depth and first < (self._sent if self.flush is None else self.flush.cut):
            self.flush = self._restored(first)
        return cut

    def _restored(self, first: int) -> Flush:
        """Return the cache break of a request that makes the edits in force again, from message `first` on."""
        made = self.flush or Flush(self._memo.requests + 1, self._now, first, UNKNOWN, 0, 0)
        rewritten = 0 if self._cold else self._engine.made.sizes.between(first, self._sent) - made.saved
        return replace(made, cut=first, rewritten=max(0, rewritten))

    def _cut(self) -> int:
        memo, engine, sizes = self._memo, self._engine, self._engine.made.sizes
        forced, wanted = self.press()
        if not engine.pending.gains:
            return 0
        schedule = OnRequest() if engine.manual else self._schedule
        risky = [] if forced else engine.pending.risky()
        held = {one.target for one in risky if not schedule.takes(one, self._price, memo.requests)}
        engine.pending.hold(held)
        state = self._state(forced, wanted)
        start = schedule.first_risky(state) if risky else 0
        if start:
            waiting = (one.target for one in risky if one.target.message < start)
            engine.pending.hold(held | {target for target in waiting if engine.view.by_ref[target].touches})
            state = self._state(forced, wanted)
        plan, pending = schedule.plan(state), state.pending
        asked = min((ref.message for ref in engine.pending.requested()), default=self._sent)
        if asked < min(plan.cut, self._sent) and not isinstance(schedule, OnRequest):
            # A requested edit breaks the cache there anyway, so all pending edits behind it are made too.
            plan = Plan(asked, "asked for")
        first = min(asked, next((message for message, _ in pending if message >= plan.cut), self._sent))
        if first < self._sent:
            reason = "asked for" if first < plan.cut else plan.reason
            saved = engine.pending.flushed(plan.cut, self._sent)
            rewritten = 0 if self._cold else max(0, sizes.between(first, self._sent) - saved)
            self.flush = Flush(memo.requests + 1, self._now, first, reason, saved, rewritten)
        return plan.cut

    def _state(self, forced: str, wanted: int) -> RequestState:
        """Return the state of this request for the schedule."""
        memo, engine, sizes = self._memo, self._engine, self._engine.made.sizes
        pending = engine.pending.waiting()
        return RequestState(
            pending,
            self._sent,
            lambda message: sizes.between(message, self._sent),
            self._around + engine.tokens,
            memo.requests,
            self._cold,
            self._price,
            self._window,
            memo.account.whole + self._whole(),
            memo.account.earned,
            sizes.between(self._sent, len(sizes)),
            self._growth(pending),
            forced,
            wanted,
        )

    def _gains(self) -> tuple[int, int]:
        """Return the tokens that pending edits would remove from sent messages, and from new ones."""
        waiting = self._engine.pending.waiting()
        free = sum(gain for message, gain in waiting if message >= self._sent)
        return sum(gain for _, gain in waiting) - free, free

    def press(self) -> tuple[str, int]:
        """Release more parts if the context runs short.

        Returns why edits must be made, and how many tokens must be freed.
        """
        if self._schedule.presses == "never":
            return "", 0
        if self._schedule.presses == "anew":
            return self._press_anew(), 0
        engine, pressure, window = self._engine, self._pressure, self._window
        engine.pending.hold(frozenset())
        _, before = self._gains()
        # What costs nothing to cut counts as gone already.
        tokens = self._around + engine.tokens - before
        historical = thinking = 0
        if pressure.triggered:
            historical = budget(engine.view, 0, engine.saved_of)["historical"]
            thinking = thinking_tokens(engine.view, engine.saved_of)
        level = pressure.level(tokens, window, historical)
        reason = pressure.reason(tokens, window, historical, thinking)
        least = round(pressure.relief * window)
        # At least one token, so that a trigger acts while the context is far from full and no relief is asked for.
        wanted = max(1, least, tokens - round((pressure.high - pressure.relief) * window)) if reason else 0
        if engine.depth or level != "light":
            steps = STEPS[: STEPS.index(level) + 1]
            for step, gain in zip(steps, engine.offers(map(DEPTH.__getitem__, steps)), strict=False):
                if (step == "moderate" and not reason) or (wanted and gain - before >= wanted):
                    break
        freed, free = self._gains()
        if reason and level != "critical" and freed < least and free - before < wanted:
            return "", 0
        return reason, max(0, wanted - (free - before))

    def _press_anew(self) -> str:
        """Release the parts that this request has to lose, whatever went before; return the reason, or nothing.

        The level follows from the size of the request before anything goes under pressure. So a request that is
        seen for the first time gives the same result as one whose conversation was followed from its beginning.
        """
        engine, pressure = self._engine, self._pressure
        engine.pending.hold(frozenset())
        next(engine.offers(((),), returns=True))
        before = self._fill()
        reason = pressure.reason(before.tokens, before.window, before.historical, before.thinking)
        for _ in engine.offers(pressure.waves(before), returns=True):
            if reason and pressure.relieved(before, self._fill()):
                break
        return reason

    def _fill(self) -> Fill:
        """Return how full the context is once all proposed edits are made."""
        engine, pressure = self._engine, self._pressure
        tokens = self._around + engine.tokens - sum(self._gains()) - engine.reminded
        historical = thinking = 0
        if pressure.least_history and tokens > pressure.least_history:
            historical = budget(engine.view, 0, engine.wanted_saved)["historical"]
        if pressure.thinking and tokens > pressure.thinking:
            thinking = thinking_tokens(engine.view, engine.wanted_saved)
        return Fill(tokens, self._window, historical, thinking)

    def settled(self) -> Account:
        """Return the account of the conversation including this request."""
        sizes = self._engine.made.sizes
        changed = self.flush.cut if self.flush is not None else self._sent
        paid = self._cost(sizes.before(changed), sizes.before(len(sizes)))
        return self._memo.account.add(self._whole(), paid, self._engine.view.tokens)

    def following(self, *, answered: bool) -> Following:
        """This request as it is about to be sent; `answered` says that the user has spoken since the last one."""
        memo, sizes = self._memo, self._engine.made.sizes
        tokens = self._around + sizes.before(len(sizes))
        changed = self.flush.cut if self.flush is not None else self._sent
        # What a flush cut from a cache that had expired would have stayed, had the cache been alive.
        cached = memo.life.own.tokens if self._cold else self._around + sizes.before(changed)
        pause = self._now - memo.seen if memo.requests else 0.0
        return Following(pause, answered, tokens, 0 if self._lost else min(cached, tokens))

    def _whole(self) -> float:
        """Return the cost of this request without pruning."""
        return self._cost(self._memo.account.tokens, self._engine.view.tokens)

    def _cost(self, known: int, tokens: int) -> float:
        """Return the cost of this request, given all its message tokens and the unchanged ones."""
        lost = self._cold or not self._memo.requests
        return request_cost(self._price, self._around + tokens, 0 if lost else self._around + known)

    def _growth(self, pending: Sequence[tuple[int, int]]) -> float:
        """Return how many tokens of new proposals a request brings on average."""
        waiting = sum(tokens for message, tokens in pending if message < self._sent)
        flushed = sum(flush.saved for flush in self._memo.ledger.flushes)
        return max(0, waiting + flushed) / max(1, self._memo.requests)
