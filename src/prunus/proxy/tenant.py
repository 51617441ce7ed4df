"""The state of one user of the proxy: a pruner with its memory, and the accounts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter, time
from typing import Final

from prunus.agent.layer import AgentLayer, HiddenTurn
from prunus.conversations.context import Context
from prunus.conversations.held import Glance
from prunus.errors import FormatError, OutOfReach, TooLate
from prunus.outcome import Outcome, Receipt, Report
from prunus.providers import api_named
from prunus.proxy.bills import Bills
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.encoding import decoded
from prunus.proxy.envelope import NO_TOOLS, SUBAGENT, Envelope, from_subagent, read_envelope
from prunus.proxy.exchange import Arrived, Prepared, PrunedRequest, exchange_of, without_edits
from prunus.proxy.faults import Faults
from prunus.pruner import Pruner
from prunus.report.status import requested_line
from prunus.settings import Settings
from prunus.store.records import Exchange
from prunus.store.store import Store, StoreError

_FITS: Final = 0.9
"""The share of the model's window that a request may take to fit it for certain, since tokens are estimated."""
_REFUSED: Final = 256
_SMALL: Final = 512 * 1024
"""Bytes of a request that is prepared in a few milliseconds, if nearly all of it is known."""


class Tenant:
    """Prepares the requests of one user and settles them."""

    def __init__(
        self, name: str, settings: Settings, store: Store, layer: AgentLayer | None, faults: Faults
    ) -> None:
        self.name = name
        self.settings = settings
        self.store = store
        self.shadow = settings.proxy.shadow
        self._layer = layer if not self.shadow else None
        self._faults = faults
        off = settings.store.url == "off"
        memory = None if off else store.memory(name, lambda error: faults.report("store", error))
        self.pruner = Pruner(settings, memory, self._asked)
        self.bills = Bills(settings)
        self._refused: OrderedDict[str, None] = OrderedDict()

    def _asked(self, conversation: str) -> tuple[str, ...]:
        """The commands that the user typed in a terminal since the last request, such as `sweep 5`."""
        try:
            return self.store.take(self.name, conversation)
        except StoreError as error:
            self._faults.report("store", error)
            return ()

    def context(self, conversation: str) -> Context | None:
        """Return what fills the newest request of a conversation, as far as it is known."""
        try:
            return self.pruner.context(conversation)
        except Exception as error:  # a table that cannot be shown must not cost what is recorded
            self._faults.report("context", error)
            return None

    def prepare(
        self, arrived: Arrived, deadline: float | None = None, claim: Callable[[], bool] = lambda: True
    ) -> Prepared:
        """What to send for a request. Never raises: a request whose preparation fails goes out as it came.

        The look at it ends after `deadline` seconds. Nothing is remembered where `claim` says that something else
        was sent.
        """
        begun = perf_counter()
        try:
            prepared = self._prepare(arrived, deadline, claim)
        except FormatError as error:
            prepared = Prepared(arrived.raw, skip=str(error))
        except Exception as error:  # whatever fails in here, the request has to go out as it came
            self._faults.report("proxy", error)
            prepared = Prepared(arrived.raw, skip=f"a fault of Prunus: {type(error).__name__}")
        return replace(prepared, seconds=perf_counter() - begun)

    def prepare_at_once(self, arrived: Arrived, deadline: float) -> Prepared | None:
        """What to send for a request, if that takes a few milliseconds and one answer of the store; else None.

        Never raises: None also stands for a preparation that fails, since `prepare` will say why. But what a store
        that does not answer leads to is final: it may still save what it was sent, so a second attempt could cut
        something else.
        """
        if arrived.request.encoding or len(arrived.raw) > _SMALL:
            return None
        begun = perf_counter()
        try:
            with self.store.hurry():
                prepared = self._prepare(arrived, deadline, lambda: True, at_once=True)
        except Exception:
            return None
        return replace(prepared, seconds=perf_counter() - begun)

    def _prepare(
        self, arrived: Arrived, deadline: float | None, claim: Callable[[], bool], *, at_once: bool = False
    ) -> Prepared:
        request, format = arrived.request, arrived.route.format
        body = decoded(arrived.raw, request.encoding, self.settings.limits.body)
        glance = self.pruner.glance(body, format, self.owner(request))
        envelope = read_envelope(body, format, None if glance is None else glance.read)
        if at_once and (envelope.hold or glance is None or not glance.is_short):
            raise TooLate("the request takes a longer look")
        subagent = from_subagent(request.values, envelope.system)
        if skip := envelope.skip or (SUBAGENT if subagent and self.settings.subagents == "skip" else ""):
            return Prepared(arrived.raw, skip=skip)
        turn = self._open(arrived, envelope, body)
        reply = turn.reply() if turn is not None else None
        if reply is not None:
            return Prepared(arrived.raw, skip="answered by Prunus", reply=reply)
        given = body if turn is None else turn.before()
        share = min(1.0, len(body) / max(1, len(given)))

        def exchange_with(outcome: Outcome[bytes]) -> Exchange:
            shadow = self.shadow or outcome.conversation in self._refused
            return exchange_of(request, outcome, shadow=shadow, share=share, project=envelope.project)

        outcome = self._prune(
            arrived,
            given,
            request.time,
            deadline,
            claim,
            lambda outcome: self.record_edits(exchange_with(outcome), outcome),
            hold=bool(envelope.hold),
            subagent=subagent,
            at_once=at_once,
            glance=glance if given is body else None,
        )
        if at_once and outcome.fault is not None and not isinstance(outcome.fault, OutOfReach):
            raise outcome.fault
        if skip := self._not_pruned(outcome, envelope):
            return Prepared(arrived.raw, skip=skip)
        if self._goes_whole(envelope, outcome.report):
            outcome = without_edits(outcome, given)
        sent = outcome.body if turn is None else turn.after(outcome)
        sent = _with_lifetime(sent, format, outcome)
        exchange = exchange_with(outcome)
        changed = not exchange.shadow and sent is not body and sent != body
        pruned = PrunedRequest(
            arrived,
            envelope,
            outcome,
            exchange,
            (*outcome.receipts, *outcome.passed),
            turn if not exchange.shadow else None,
            len(body),
            len(given),
        )
        return Prepared(sent if changed else arrived.raw, changed, pruned)

    def owner(self, request: ClientRequest) -> str:
        """Whose conversations a request may continue."""
        # In shadow mode nothing is sent as it was decided, so what was decided says nothing of a real run.
        return f"{request.caller} shadow" if self.shadow else request.caller

    def _open(self, arrived: Arrived, envelope: Envelope, body: bytes) -> HiddenTurn | None:
        """Return the agent layer's part in a request; None if it has nothing to do."""
        if self._layer is None:
            return None
        return self._layer.open(
            body,
            arrived.route.format,
            streaming=envelope.streaming or arrived.route.streaming,
            tenant=self.name,
            caller=arrived.request.caller,
            offers=envelope.hold != NO_TOOLS,
        )

    def _not_pruned(self, outcome: Outcome[bytes], envelope: Envelope) -> str:
        """Why a request goes out as it came; empty where it was pruned."""
        if outcome.error is None:
            return "" if outcome.conversation else envelope.hold or "the provider holds the history"
        if isinstance(outcome.fault, FormatError | TooLate | OutOfReach):
            return str(outcome.fault)
        self._faults.report("pruning", outcome.error)
        return f"a fault of Prunus: {type(outcome.fault).__name__}"

    def _prune(
        self,
        arrived: Arrived,
        body: bytes,
        now: float,
        deadline: float | None,
        claim: Callable[[], bool],
        record: Callable[[Outcome[bytes]], None] = lambda _: None,
        *,
        hold: bool = False,
        subagent: bool = False,
        at_once: bool = False,
        glance: Glance | None = None,
    ) -> Outcome[bytes]:
        """Prune a request of a caller: the one that arrived, or a further one of the same turn."""
        request, route = arrived.request, arrived.route
        sets_lifetime = self.settings.cache.lifetime != "as sent" and not self.shadow
        return self.pruner.prune(
            body,
            now,
            format=route.format,
            model=route.model,
            key=request.session,
            owner=self.owner(request),
            client=request.client,
            deadline=deadline,
            claim=claim,
            record=record,
            hold=hold,
            subagent=subagent,
            marks=sets_lifetime and b'"cache_control"' in body and bool(api_named(route.format).lifetimes),
            at_once=at_once,
            glance=glance,
        )

    def look_again(
        self,
        prepared: Prepared,
        body: bytes,
        deadline: float | None = None,
        claim: Callable[[], bool] = lambda: True,
    ) -> Outcome[bytes] | None:
        """A further request of the same turn, pruned; None where nothing new may be cut in it."""
        pruned = prepared.pruned
        if pruned is None or pruned.envelope.hold:
            return None
        subagent = from_subagent(pruned.arrived.request.values, pruned.envelope.system)
        found = self._prune(pruned.arrived, body, time(), deadline, claim, subagent=subagent)
        return found if found.error is None and found.conversation else None

    def go_on(self, prepared: Prepared, outcome: Outcome[bytes] | None) -> Prepared:
        """Return what to send for a further request of the same turn."""
        pruned = prepared.pruned
        assert pruned is not None and pruned.turn is not None
        body = _with_lifetime(pruned.turn.again(outcome), pruned.arrived.route.format, outcome or pruned.outcome)
        if outcome is None:
            return replace(prepared, body=body)
        if outcome.receipts:
            self.record(pruned.exchange, outcome.receipts)
        return replace(prepared, body=body, pruned=replace(pruned, further=(*pruned.further, outcome)))

    def status_line(self, pruned: PrunedRequest) -> str:
        """The status line of the edits that the agent or the user asked for; empty if there are none."""
        if pruned.exchange.shadow:
            return ""
        made = [receipt for receipt in pruned.all_receipts if not receipt.passed]
        settings = self.settings
        return requested_line(made, settings.notification, distillation=settings.show_distillation)

    def _goes_whole(self, envelope: Envelope, report: Report) -> bool:
        """Whether a request for a summary is sent without edits: that is wanted, and it fits the model's window."""
        if not envelope.hold or self.settings.compaction == "pruned":
            return False
        return report.tokens_before < _FITS * self.settings.window_of(report.model)

    def record_edits(self, exchange: Exchange, outcome: Outcome[bytes]) -> None:
        """Write down what a request cuts."""
        receipts = (*outcome.receipts, *outcome.passed)
        if receipts:
            self.record(exchange, receipts)

    def record(self, exchange: Exchange, receipts: Sequence[Receipt]) -> None:
        """Write receipts down before the request is sent, so that none is ever missing."""
        try:
            self.store.record(self.name, exchange, receipts)
        except Exception as error:
            self._faults.report("store", error)

    def refuse(self, prepared: Prepared) -> Prepared:
        """The provider refused the pruned request and took the original: leave this conversation alone."""
        pruned = prepared.pruned
        if pruned is None:
            return prepared
        self._refused[pruned.exchange.conversation] = None
        while len(self._refused) > _REFUSED:
            self._refused.popitem(last=False)
        pruned = replace(pruned, exchange=replace(pruned.exchange, shadow=True))
        return replace(prepared, changed=False, pruned=pruned)


def _with_lifetime(body: bytes, format: str, outcome: Outcome[bytes]) -> bytes:
    """A body whose cache marks have the lifetime that was chosen for it."""
    return api_named(format).with_lifetime(body, outcome.lifetime) if outcome.lifetime else body
