"""Describes what fills each conversation, seldom enough to cost little.

Describing a conversation walks over all of its parts, which takes longer than pruning its next request. So at most
one hundredth of the time goes into describing a conversation. An exchange that comes too soon is recorded without a
description, and recorded again when the next description is due.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic, thread_time
from typing import Final

from prunus.conversations.context import Context
from prunus.store.records import Exchange

Describe = Callable[[str], Context | None]
"""What fills the newest request of a conversation."""
Waiting = tuple[str, Exchange, Describe]
"""An exchange of a tenant that is to be recorded."""

_SHARE: Final = 0.01
"""The share of the time in which one conversation may be described."""


class Contexts:
    """Adds a description to the newest exchange of each conversation, unless the last one was made too recently."""

    def __init__(self, clock: Callable[[], float] = monotonic, cost: Callable[[], float] = thread_time) -> None:
        self._clock = clock
        self._cost = cost
        self._next: dict[tuple[str, str], float] = {}
        """The earliest time for each conversation; those that have passed are forgotten."""
        self._late: dict[tuple[str, str], Waiting] = {}
        """The newest exchange of each conversation, if it was recorded without a description."""

    def due(self, *, all: bool = False) -> list[Waiting]:
        """Take the exchanges that can be described now, or `all` that were recorded without a description."""
        now = self._clock()
        self._next = {} if all else {name: time for name, time in self._next.items() if time > now}
        return [self._late.pop(name) for name in list(self._late) if name not in self._next]

    @property
    def complete(self) -> bool:
        """Whether no exchange has to be recorded once more."""
        return not self._late

    def added(self, batch: Sequence[Waiting]) -> list[tuple[str, Exchange]]:
        """Return the exchanges to record."""
        newest = {
            (tenant, exchange.conversation): exchange.id for tenant, exchange, _ in batch if exchange.tokens_before
        }
        return [
            (tenant, self._with_context((tenant, exchange, describe)))
            if newest.get((tenant, exchange.conversation)) == exchange.id
            else (tenant, exchange)
            for tenant, exchange, describe in batch
        ]

    def _with_context(self, waiting: Waiting) -> Exchange:
        tenant, exchange, describe = waiting
        name = tenant, exchange.conversation
        if self._next.get(name, 0.0) > self._clock():
            self._late[name] = waiting
            return exchange
        self._late.pop(name, None)
        begun = self._cost()
        context = describe(exchange.conversation)
        self._next[name] = self._clock() + (self._cost() - begun) / _SHARE
        return replace(exchange, context=context)
