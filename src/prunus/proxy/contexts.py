"""Describes what fills each conversation, seldom enough to cost little.

Describing a conversation walks over all of its parts. For a conversation of 1,000 calls that takes longer than
pruning its next request. So at most one hundredth of the time goes into descriptions, however many conversations
there are. An exchange that comes too soon is recorded without a description, and recorded again with one later,
unless a newer exchange of its conversation has come by then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from time import monotonic, thread_time
from typing import Final

from prunus.conversations.context import Context
from prunus.store.records import Exchange

Describe = Callable[[str, str], Context | None]
"""Returns what fills the newest request of a tenant's conversation, as far as it is known."""
TenantExchange = tuple[str, Exchange]
"""The name of a tenant, and an exchange of that tenant."""

_SHARE: Final = 0.01
"""The share of the time in which conversations may be described."""
_SAVED: Final = 0.05
"""The most seconds for descriptions that an idle proxy saves up."""
_LAST: Final = 1.0
"""The most seconds that descriptions may take when the proxy ends."""


class Contexts:
    """Adds a description to the newest exchange of each conversation, as far as the time for that allows."""

    def __init__(
        self,
        describe: Describe,
        clock: Callable[[], float] = monotonic,
        cost: Callable[[], float] = thread_time,
    ) -> None:
        self._describe = describe
        self._clock = clock
        self._cost = cost
        self._left = _SAVED
        """The seconds of work that are left for descriptions; below zero after a long one."""
        self._counted = clock()
        """The time up to which `_left` has grown."""
        self._late: dict[tuple[str, str], Exchange] = {}
        """The queue of conversations, each with its newest exchange, which was recorded without a description."""

    def due(self, waiting: Collection[tuple[str, str]] = (), *, last: bool = False) -> list[TenantExchange]:
        """Describe exchanges that were recorded without a description, and return them to be recorded again.

        Conversations that have waited longest come first, as far as there is time now. Those of which newer
        exchanges are `waiting` keep their place in the queue. The `last` time gets one more second.
        """
        found = []
        self._left += _LAST if last else 0.0
        for name in [name for name in self._late if name not in waiting]:
            if not self._has_time():
                break
            tenant, _ = name
            found.append((tenant, self._described(tenant, self._late.pop(name))))
        return found

    @property
    def complete(self) -> bool:
        """Whether no exchange has to be recorded once more."""
        return not self._late

    def added(self, batch: Sequence[TenantExchange]) -> list[TenantExchange]:
        """Return the exchanges to record."""
        newest = {
            (tenant, exchange.conversation): exchange.id for tenant, exchange in batch if exchange.tokens_before
        }
        return [
            (tenant, self._with_context(tenant, exchange))
            if newest.get((tenant, exchange.conversation)) == exchange.id
            else (tenant, exchange)
            for tenant, exchange in batch
        ]

    def _with_context(self, tenant: str, exchange: Exchange) -> Exchange:
        name = tenant, exchange.conversation
        if exchange.context is not None:
            return exchange
        is_next = next(iter(self._late), name) == name
        if not is_next or not self._has_time():
            self._late[name] = exchange
            return exchange
        self._late.pop(name, None)
        return self._described(tenant, exchange)

    def _has_time(self) -> bool:
        now = self._clock()
        earned = (now - self._counted) * _SHARE
        self._left = max(self._left, min(_SAVED, self._left + earned))
        self._counted = now
        return self._left > 0.0

    def _described(self, tenant: str, exchange: Exchange) -> Exchange:
        begun = self._cost()
        context = self._describe(tenant, exchange.conversation)
        self._left -= self._cost() - begun
        return replace(exchange, context=context)
