"""The input and the output of a schedule, the account of a conversation, and the schedules that are simple.

`cache.py` has the schedule that weighs savings against the prompt cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from prunus.edits import Proposal
from prunus.schedule.prices import Price

Presses = Literal["lasting", "anew", "never"]


@dataclass(frozen=True, slots=True)
class Account:
    """The cost of a conversation so far, and its cost without pruning.

    Both are in uncached input tokens, like the prices, and are counted when each request is sent. Tokens before the
    first change are read from the provider's cache; the others are written. A schedule may risk the difference of
    both costs.
    """

    whole: float = 0.0
    """What the requests would have cost without pruning."""
    paid: float = 0.0
    """What the requests have cost."""
    tokens: int = 0
    """The tokens of all messages of the newest request, before pruning."""

    @property
    def earned(self) -> float:
        """The savings so far, less the cost of the cache breaks."""
        return self.whole - self.paid

    def add(self, whole: float, paid: float, tokens: int) -> Account:
        """Return the account with one more request."""
        return Account(self.whole + whole, self.paid + paid, tokens)


@dataclass(frozen=True, slots=True)
class RequestState:
    """The state of a request that is about to be sent, as the schedule sees it."""

    pending: Sequence[tuple[int, int]]
    """Messages with pending edits, oldest first, and the tokens that each would lose."""
    sent: int
    """How many of the messages were in the previous request."""
    tail: Callable[[int], int]
    """The tokens from a message on to the end of the messages that were sent before."""
    tokens: int
    """The tokens of the whole request with the edits in force."""
    requests: int
    """The number of requests of this conversation so far."""
    cold: str
    """Why the provider's cache is lost anyway; empty if it is warm."""
    price: Price
    window: int
    """The model's context window in tokens."""
    paid: float = 0.0
    """What the conversation would have cost without pruning, this request included."""
    earned: float = 0.0
    """The savings of the flushes so far, less the cost of the cache that they broke."""
    new: int = 0
    """The tokens of the messages that were not in the previous request."""
    growth: float = 0.0
    """Tokens of new edits that each request so far has brought on average, pending or flushed."""
    forced: str = ""
    """Why edits have to be made at any cost, because the context runs short; empty if they need not."""
    wanted: int = 0
    """Tokens that then have to be freed in sent messages; 0 if edits of new messages free enough."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The message from which on pending edits are made, and the reason."""

    cut: int
    reason: str


class Schedule(Protocol):
    """Decides when edits are made. A schedule is a frozen dataclass, and its fields are its settings."""

    name: ClassVar[str]
    presses: ClassVar[Presses]
    """Whether parts that go under pressure stay away for good, come back when there is space, or never go."""

    def takes(self, edit: Proposal, price: Price, requests: int) -> bool:
        """Whether an edit is worth the risk that its text is used again, after this number of requests."""
        return True

    def first_risky(self, state: RequestState) -> int:
        """Return the message from which on text of files may go that may be used again."""
        return 0

    def plan(self, state: RequestState) -> Plan:
        """Return the cut for this request; a cut behind the last message makes no edit."""


@dataclass(frozen=True, slots=True)
class Eager(Schedule):
    """Makes every edit as soon as it is found, as the ACP plugin does.

    The edits then depend on the history alone, not on how it grew.
    """

    name: ClassVar[str] = "eager"
    presses: ClassVar[Presses] = "anew"

    def plan(self, state: RequestState) -> Plan:
        return Plan(0, state.forced or "at once")


@dataclass(frozen=True, slots=True)
class OnRequest(Schedule):
    """Makes only requested edits."""

    name: ClassVar[str] = "manual"
    presses: ClassVar[Presses] = "never"

    def plan(self, state: RequestState) -> Plan:
        return Plan(1 << 62, "")


@dataclass(frozen=True, slots=True)
class WhenFull(Schedule):
    """Makes edits when the context fills up."""

    name: ClassVar[str] = "pressure"
    presses: ClassVar[Presses] = "lasting"

    share: float = 0.75
    """The share of the model's window from which on edits are made."""

    def plan(self, state: RequestState) -> Plan:
        if state.tokens >= self.share * state.window:
            return Plan(0, f"the context is {state.tokens / state.window:.0%} full")
        return Plan(0, state.forced) if state.forced else Plan(1 << 62, "")
