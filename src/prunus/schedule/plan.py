"""What a schedule is told and what it answers; the schedules that need no theory.

`cache.py` holds the schedule that weighs savings against the prompt cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from prunus.edits import Proposal
from prunus.schedule.prices import Price

Presses = Literal["lasting", "anew", "never"]


@dataclass(frozen=True, slots=True)
class RequestState:
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

    def first_risky(self, state: RequestState) -> int:
        """The message from which on a file's text may go that may be used again."""

    def plan(self, state: RequestState) -> Plan:
        """The cut for this request; behind the last message for none."""


@dataclass(frozen=True, slots=True)
class Eager:
    """Every edit is made as soon as it is found, as the ACP plugin does.

    What goes then depends on the history alone, not on how it grew.
    """

    name: ClassVar[str] = "eager"
    presses: ClassVar[Presses] = "anew"

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        return True

    def first_risky(self, state: RequestState) -> int:
        return 0

    def plan(self, state: RequestState) -> Plan:
        return Plan(0, state.forced or "at once")


@dataclass(frozen=True, slots=True)
class OnRequest:
    """Nothing is done unless it was asked for."""

    name: ClassVar[str] = "manual"
    presses: ClassVar[Presses] = "never"

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        return True

    def first_risky(self, state: RequestState) -> int:
        return 0

    def plan(self, state: RequestState) -> Plan:
        return Plan(1 << 62, "")


@dataclass(frozen=True, slots=True)
class WhenFull:
    """Edits wait until the context fills up."""

    name: ClassVar[str] = "pressure"
    presses: ClassVar[Presses] = "lasting"

    share: float = 0.75
    """The share of the model's window from which on edits are made."""

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        return True

    def first_risky(self, state: RequestState) -> int:
        return 0

    def plan(self, state: RequestState) -> Plan:
        if state.tokens >= self.share * state.window:
            return Plan(0, f"the context is {state.tokens / state.window:.0%} full")
        return Plan(0, state.forced) if state.forced else Plan(1 << 62, "")
