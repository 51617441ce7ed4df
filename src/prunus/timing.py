"""Telling a schedule what it needs to know, and writing down what it decided."""

from __future__ import annotations

from prunus.conversation import Conversation
from prunus.policy.ledger import Flush
from prunus.policy.prices import Price
from prunus.policy.schedule import Moment, Schedule

__all__ = ["Timing"]

_FLUSHES = 200
"""Flushes that are remembered of one conversation."""


class Timing:
    """Asks a schedule about one request of a conversation."""

    __slots__ = ("_cold", "_conversation", "_now", "_price", "_schedule", "_sent", "_window")

    def __init__(
        self, conversation: Conversation, schedule: Schedule, price: Price, window: int, now: float, cold: str
    ) -> None:
        self._conversation = conversation
        self._schedule = schedule
        self._price = price
        self._window = window
        self._now = now
        idle = now - conversation.seen
        self._sent = len(conversation.digests)
        self._cold = cold or (f"idle for {idle:.0f} seconds" if conversation.requests and idle > price.ttl else "")

    def cut(self) -> int:
        """From which message on pending edits are made in this request."""
        conversation, engine = self._conversation, self._conversation.engine
        if not engine.pending:
            return 0
        pending = engine.waiting()
        plan = self._schedule.plan(
            Moment(
                pending,
                self._sent,
                lambda message: engine.sizes.between(message, self._sent),
                conversation.around_tokens + engine.sizes.before(len(engine.sizes)),
                conversation.requests,
                self._cold,
                self._price,
                self._window,
            )
        )
        first = next((message for message, _ in pending if message >= plan.cut), self._sent)
        if first < self._sent:
            saved = sum(gain for message, gain in pending if plan.cut <= message < self._sent)
            rewritten = max(0, engine.sizes.between(first, self._sent) - saved)
            flush = Flush(conversation.requests + 1, self._now, first, plan.reason, saved, rewritten)
            conversation.flushes = (*conversation.flushes, flush)[-_FLUSHES:]
        return plan.cut
