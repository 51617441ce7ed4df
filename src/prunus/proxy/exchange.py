"""One request to a model: how it arrived, what was sent for it, and what is known once it is over."""

from __future__ import annotations

from dataclasses import dataclass, replace

from prunus.agent.layer import HiddenTurn
from prunus.outcome import Outcome, Receipt, Report
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.envelope import Envelope
from prunus.proxy.route import Route
from prunus.store.records import Exchange


@dataclass(frozen=True, slots=True)
class Arrived:
    """A request to a model as the client sent it."""

    request: ClientRequest
    route: Route
    raw: bytes
    """The body, in its content encoding."""


def exchange_of(
    request: ClientRequest, outcome: Outcome[bytes], *, shadow: bool, share: float = 1.0, project: str = ""
) -> Exchange:
    """What is known of a request before its answer; `share` is what the client itself sent of it."""
    report = outcome.report
    return Exchange(
        outcome.conversation,
        outcome.request,
        request.time,
        request.client,
        report.format,
        report.model,
        round(report.tokens_before * share),
        report.tokens_after,
        flush=outcome.flush,
        shadow=shadow,
        behind=outcome.behind,
        asks=report.asked_again.asks,
        project=project,
        id=request.id,
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


@dataclass(frozen=True, slots=True)
class PrunedRequest:
    """What is known of a request that was pruned, or would have been in shadow mode."""

    arrived: Arrived
    envelope: Envelope
    outcome: Outcome[bytes]
    exchange: Exchange
    """The record of the exchange before the answer."""
    receipts: tuple[Receipt, ...]
    """The new cuts, and the superseded parts that stay."""
    turn: HiddenTurn | None
    """The agent layer's part in the exchange, if it has one."""
    size: int
    """Bytes of what the client sent, without content encoding."""
    given: int
    """Bytes of what was pruned: the same with what the agent layer has added."""
    further: tuple[Outcome[bytes], ...] = ()
    """The outcomes of further calls of the model, as the agent layer makes them for a hidden tool."""

    @property
    def all_receipts(self) -> tuple[Receipt, ...]:
        """The receipts of all model calls that were made for this request."""
        return (*self.receipts, *(receipt for call in self.further for receipt in call.receipts))

    @property
    def newest(self) -> int:
        """The number of the last call of the model that was made for it."""
        return max((self.exchange.request, *(call.request for call in self.further)))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request as it is sent."""

    body: bytes
    changed: bool = False
    """Whether the bytes differ from those that arrived."""
    pruned: PrunedRequest | None = None
    """None if the request was not pruned."""
    skip: str = ""
    """Why it was not pruned, where it was not."""
    reply: tuple[str, bytes] | None = None
    """Content type and body of the agent layer's own answer, where nothing is sent at all."""
    seconds: float = 0.0
    """How long it took to prepare."""

    @property
    def outcome(self) -> Outcome[bytes] | None:
        """The outcome of pruning the request; None if it was not pruned."""
        return self.pruned.outcome if self.pruned is not None else None


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
    """What happened to the request: pruned, unchanged, shadow, passed, skipped."""
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
