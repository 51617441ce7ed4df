"""A body that another program gives to Prunus to prune, and then sends itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from prunus.outcome import Outcome, Receipt
from prunus.proxy.tenant import Tenant
from prunus.store.records import Exchange, new_exchange_id


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
class Giver:
    """Who gave a body, and when."""

    tenant: Tenant
    client: str
    caller: str
    """Whose credentials the program has, as a hash."""
    time: float
    id: str = field(default_factory=new_exchange_id)
    """The id of the exchange that is recorded of the body."""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """The body for the program to send, and the outcome of pruning it."""

    body: bytes
    outcome: Outcome[bytes]
    receipts: tuple[Receipt, ...] = ()
    exchange: Exchange | None = None
    """The record of the exchange; None if the body stayed unchanged."""


def prune_given(
    giver: Giver, given: GivenBody, deadline: float | None = None, claim: Callable[[], bool] = lambda: True
) -> GivenBack:
    """Prune a body, and record its cuts before it is returned, so that they can be restored.

    In shadow mode the outcome says what would have been cut, and the body is the given one.
    """
    tenant = giver.tenant
    shadow = tenant.settings.proxy.shadow
    outcome = tenant.pruner.prune(
        given.body,
        giver.time,
        format=given.format,
        model=given.model,
        key=given.key,
        owner=f"{giver.caller} shadow" if shadow else giver.caller,
        client=giver.client,
        deadline=deadline,
        claim=claim,
        record=lambda outcome: tenant.record_edits(_exchange(giver, outcome, shadow), outcome),
    )
    if outcome.error is not None or not outcome.conversation:
        return GivenBack(given.body, outcome)
    receipts = (*outcome.receipts, *outcome.passed)
    return GivenBack(given.body if shadow else outcome.body, outcome, receipts, _exchange(giver, outcome, shadow))


def _exchange(giver: Giver, outcome: Outcome[bytes], shadow: bool) -> Exchange:
    """What is recorded of a body; nobody tells the proxy what it cost."""
    report = outcome.report
    return Exchange(
        outcome.conversation,
        outcome.request,
        giver.time,
        giver.client,
        report.format,
        report.model,
        report.tokens_before,
        report.tokens_after,
        flush=outcome.flush,
        shadow=shadow,
        behind=outcome.behind,
        asks=report.asked_again.asks,
        id=giver.id,
    )
