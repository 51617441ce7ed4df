"""One request to a model: how it arrived, what was sent for it, and what is known once it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from prunus.outcome import Outcome, Receipt, Report
from prunus.proxy.envelope import Envelope
from prunus.proxy.headers import Headers
from prunus.proxy.hooks import Interceptor
from prunus.proxy.route import Route
from prunus.schedule.ledger import Flush
from prunus.store.records import Exchange, new_exchange_id


def client_name(headers: Mapping[str, str]) -> str:
    """The name of a client by its user agent."""
    name = headers.get("user-agent", "").partition("/")[0].strip().lower()[:32]
    return "".join(letter for letter in name if letter.isalnum() or letter in "-_. ")


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
    """The client's name for the conversation, if it sends a header for that."""
    caller: str = ""
    """Whose credentials it carries, as a hash."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Its headers, in lower case."""
    id: str = field(default_factory=new_exchange_id)
    """The id under which the exchange is recorded."""


def exchange_of(
    arrived: Arrived, envelope: Envelope, outcome: Outcome[bytes], share: float, *, shadow: bool
) -> Exchange:
    """What is known of a request before its answer; `share` is what the client itself sent of it."""
    report = outcome.report
    return Exchange(
        outcome.conversation,
        outcome.request,
        arrived.time,
        arrived.client,
        arrived.route.format,
        report.model or arrived.route.model,
        round(report.tokens_before * share),
        report.tokens_after,
        flush=outcome.flush,
        shadow=shadow,
        behind=outcome.behind,
        asks=report.asked_again.asks,
        project=envelope.project,
        id=arrived.id,
    )


def without_edits(outcome: Outcome[bytes], body: bytes) -> Outcome[bytes]:
    """The outcome of a request that is sent without its edits."""
    report = replace(outcome.report, tokens_after=outcome.report.tokens_before, strategies={}, categories={})
    return Outcome(
        body,
        report=report,
        conversation=outcome.conversation,
        request=outcome.request,
        lifetime=outcome.lifetime,
    )


class SentBy(NamedTuple):
    """How a client sent a request; the headers hold its credentials."""

    method: str
    query: str
    headers: Headers


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
    """Whether the bytes differ from those that arrived."""
    skip: str = ""
    """Why it was not pruned, where it was not."""
    envelope: Envelope | None = None
    outcome: Outcome[bytes] | None = None
    receipts: tuple[Receipt, ...] = ()
    """The new cuts, and the superseded parts that stay."""
    exchange: Exchange | None = None
    """The record of the exchange before the answer."""
    turn: Interceptor | None = None
    reply: tuple[str, bytes] | None = None
    """The answer of the agent layer, where nothing is sent at all."""
    size: int = 0
    """Bytes of what the client sent, without content encoding."""
    given: int = 0
    """Bytes of what was pruned: the same with what the agent layer has added."""
    seconds: float = 0.0
    """How long it took to prepare."""
    status_line: str = ""
    """The status line of requested edits; empty if there are none."""
    arrived: Arrived | None = None
    further: tuple[Further, ...] = ()
    """The further calls of the model that were pruned."""

    @property
    def all_receipts(self) -> tuple[Receipt, ...]:
        """The receipts of all model calls that were made for this request."""
        return (*self.receipts, *(receipt for call in self.further for receipt in call.receipts))

    @property
    def newest(self) -> int:
        """The number of the last call of the model that was made for it."""
        own = self.exchange.request if self.exchange is not None else 0
        return max((own, *(call.request for call in self.further)))

    @property
    def what(self) -> str:
        """What happened to the request; see `Event.what`."""
        if self.exchange is None:
            return "skipped"
        if self.exchange.shadow:
            return "shadow"
        return "pruned" if self.changed else "unchanged"

    def ended(self, event: Event, exchange: Exchange | None) -> Event:
        """Return the event of the request, with the sent bytes and the costs."""
        return replace(
            event,
            what=self.what,
            why=self.skip,
            exchange=exchange,
            report=self.outcome.report if self.outcome is not None else None,
            receipts=self.all_receipts,
            status_line=self.status_line,
            session=self.arrived.key if self.arrived is not None else "",
            traceparent=self.arrived.headers.get("traceparent", "") if self.arrived is not None else "",
            preparing=self.seconds,
        )


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
    what: str = "passed"
    """What happened to the request: pruned, unchanged, shadow, passed, skipped, failed."""
    why: str = ""
    exchange: Exchange | None = None
    report: Report | None = None
    receipts: tuple[Receipt, ...] = ()
    status_line: str = ""
    """The status line of requested edits."""
    session: str = ""
    """The client's name for the conversation, if it sends a header for that."""
    traceparent: str = ""
    """The span of the client that the request belongs to, as W3C Trace Context writes it."""
    preparing: float = 0.0
    """Seconds that pruning took."""
