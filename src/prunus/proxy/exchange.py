"""One request of a model: how it arrives, what is sent for it, and what is known when it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from prunus.outcome import Outcome, Receipt, Report
from prunus.proxy.glance import Glance
from prunus.proxy.hooks import Turn
from prunus.proxy.route import Route
from prunus.schedule.ledger import Flush
from prunus.store.records import Exchange

__all__ = ["Arrived", "Event", "Further", "Prepared"]


@dataclass(frozen=True, slots=True)
class Arrived:
    """A request as the client sent it."""

    raw: bytes
    encoding: str
    """Its content encoding."""
    route: Route
    client: str
    time: float
    key: str = ""
    """What the client calls the conversation, where it sends a header for that."""
    caller: str = ""
    """Whose credentials it carries, as a hash."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Its headers, in lower case."""


@dataclass(frozen=True, slots=True)
class Further:
    """A further call of the model in the same turn, as the agent layer makes it for a hidden tool."""

    request: int
    """Its number in the conversation."""
    flush: Flush | None
    receipts: tuple[Receipt, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request as it is sent."""

    body: bytes
    changed: bool = False
    """Whether these are other bytes than those that arrived."""
    skip: str = ""
    """Why it was not pruned, where it was not."""
    glance: Glance | None = None
    outcome: Outcome[bytes] | None = None
    receipts: tuple[Receipt, ...] = ()
    """What was cut with it, and what was superseded and stays."""
    exchange: Exchange | None = None
    """What is known of it before the answer."""
    turn: Turn | None = None
    reply: tuple[str, bytes] | None = None
    """The answer of the agent layer, where nothing is sent at all."""
    size: int = 0
    """Bytes of what the client sent, without content encoding."""
    given: int = 0
    """Bytes of what was pruned: the same with what the agent layer has added."""
    seconds: float = 0.0
    """How long it took to prepare."""
    status_line: str = ""
    """What it prunes because the agent or the user asked for that; empty where that is nothing."""
    arrived: Arrived | None = None
    further: tuple[Further, ...] = ()
    """The further calls of the model that were pruned."""

    @property
    def all_receipts(self) -> tuple[Receipt, ...]:
        """Those of all calls of the model that were made for it."""
        return (*self.receipts, *(receipt for call in self.further for receipt in call.receipts))


@dataclass(frozen=True, slots=True)
class Event:
    """A request that is over, for logs and tables."""

    time: float
    client: str
    method: str
    upstream: str
    path: str
    status: int
    """0 where the client left before there was an answer."""
    seconds: float
    what: str
    """What became of it: pruned, unchanged, shadow, passed, skipped, failed."""
    why: str = ""
    exchange: Exchange | None = None
    report: Report | None = None
    receipts: tuple[Receipt, ...] = ()
    status_line: str = ""
    """What it pruned because the agent or the user asked for that."""
