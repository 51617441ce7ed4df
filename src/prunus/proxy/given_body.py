"""A body that another program gives to Prunus to prune, and then sends itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from prunus.outcome import Outcome
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.exchange import exchange_of
from prunus.proxy.tenant import Tenant
from prunus.store.records import Exchange


@dataclass(frozen=True, slots=True)
class GivenBody:
    """A request body as a program gives it, in any format."""

    body: bytes
    model: str = ""
    """The model, where the body does not name it."""
    key: str = ""
    """The program's name for the conversation."""
    format: str | None = None
    """The format of the body; recognised where it is not told."""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """The body for the program to send, and the outcome of pruning it."""

    body: bytes
    outcome: Outcome[bytes]
    exchange: Exchange | None = None
    """The record of the exchange, without costs, of which nobody tells the proxy; None if the body stayed
    unchanged."""


def prune_given(
    tenant: Tenant,
    request: ClientRequest,
    given: GivenBody,
    deadline: float | None = None,
    claim: Callable[[], bool] = lambda: True,
) -> GivenBack:
    """Prune a body, and record its cuts before it is returned, so that they can be restored.

    In shadow mode the outcome says what would have been cut, and the body is the given one.
    """
    shadow = tenant.shadow
    outcome = tenant.pruner.prune(
        given.body,
        request.time,
        format=given.format,
        model=given.model,
        key=given.key,
        owner=tenant.owner(request),
        client=request.client,
        deadline=deadline,
        claim=claim,
        record=lambda outcome: tenant.record_edits(exchange_of(request, outcome, shadow=shadow), outcome),
    )
    if outcome.error is not None or not outcome.conversation:
        return GivenBack(given.body, outcome)
    return GivenBack(given.body if shadow else outcome.body, outcome, exchange_of(request, outcome, shadow=shadow))
