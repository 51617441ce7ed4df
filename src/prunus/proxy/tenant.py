"""The state of one user of the proxy: a pruner with its memory, and the accounts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from time import perf_counter, time
from typing import Final

from prunus.conversations.context import Context
from prunus.conversations.held import Glance
from prunus.errors import FormatError, OutOfReach, TooLate
from prunus.outcome import Outcome, Receipt, Report
from prunus.proxy.bills import Bills
from prunus.proxy.encoding import decoded
from prunus.proxy.envelope import NO_TOOLS, SUBAGENT, Envelope, from_subagent, read_envelope
from prunus.proxy.exchange import Arrived, Further, Prepared, exchange_of, without_edits
from prunus.proxy.faults import Faults
from prunus.proxy.hooks import AgentHooks, Interceptor
from prunus.proxy.marks import sets_marks, with_lifetime
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
        self, name: str, settings: Settings, store: Store | None, layer: AgentHooks | None, faults: Faults
    ) -> None:
        self.name = name
        self.settings = settings
        self.store = store
        self._layer = layer if not settings.proxy.shadow else None
        self._faults = faults
        self.kept = store is not None and settings.store.url != "off"
        self.keeps_receipts = self.kept and store is not None and store.keeps_receipts
        memory = None
        self._hurry: Callable[[], AbstractContextManager[None]] | None = nullcontext
        """Begins a block that does not wait for the store; None if the store cannot do without waiting."""
        if store is not None and self.kept:
            self._hurry = store.hurry
            memory = store.memory(name, lambda error: faults.report("store", error))
        self.pruner = Pruner(settings, memory, self._asked if self.kept else None)
        self.bills = Bills(settings)
        self.warmth = self.pruner.warmth
        self._refused: OrderedDict[str, None] = OrderedDict()

    def _asked(self, conversation: str) -> tuple[str, ...]:
        """The commands that the user typed in a terminal since the last request, such as `sweep 5`."""
        if self.store is None:
            return ()
        try:
            return self.store.take(self.name, conversation)
        except StoreError as error:
            self._faults.report("store", error)
            return ()

    def context(self, conversation: str) -> Context | None:
        """Return what fills the newest request of a conversation, as far as it is known."""
        try:
            found = self.pruner.context(conversation)
        except Exception as error:  # a table that cannot be shown must not cost what is recorded
            self._faults.report("context", error)
            return None
        return found

    def prepare(
        self, arrived: Arrived, deadline: float | None = None, claim: Callable[[], bool] = lambda: True
    ) -> Prepared:
        """What to send for a request. Never raises: a request whose preparation fails goes out as it came.

        The look at it ends after `deadline` seconds. Nothing is remembered where `claim` says that something else
        was sent.
        """
        begun = perf_counter()
        prepared = Prepared(arrived.raw)
        try:
            prepared = self._prepare(arrived, deadline, claim)
        except FormatError as error:
            prepared = Prepared(arrived.raw, skip=str(error))
        except Exception as error:  # whatever fails in here, the request has to go out as it came
            self._faults.report("proxy", error)
            prepared = Prepared(arrived.raw, skip=f"a fault of Prunus: {type(error).__name__}")
        return replace(prepared, seconds=perf_counter() - begun)

    def prepare_at_once(self, arrived: Arrived, deadline: float) -> Prepared | None:
        """What to send for a request, if that takes a few milliseconds and waits for nobody; else None.

        Never raises: None also stands for a preparation that fails, since `prepare` will say why.
        """
        if self._hurry is None or arrived.encoding or len(arrived.raw) > _SMALL:
            return None
        begun = perf_counter()
        try:
            with self._hurry():
                prepared = self._prepare(arrived, deadline, lambda: True, at_once=True)
        except Exception:
            return None
        return replace(prepared, seconds=perf_counter() - begun)

    def _prepare(
        self, arrived: Arrived, deadline: float | None, claim: Callable[[], bool], *, at_once: bool = False
    ) -> Prepared:
        body = decoded(arrived.raw, arrived.encoding, self.settings.limits.body)
        glance = self.pruner.glance(body, arrived.route.format, self._owner(arrived))
        envelope = read_envelope(body, arrived.route.format, None if glance is None else glance.read)
        if at_once and (envelope.hold or glance is None or not glance.is_short_step):
            raise TooLate("the request takes a longer look")
        if skip := envelope.skip or self._left_alone(arrived, envelope):
            return Prepared(arrived.raw, skip=skip, envelope=envelope)
        turn = self._open(arrived, envelope, body)
        reply = turn.reply() if turn is not None else None
        if reply is not None:
            return Prepared(arrived.raw, skip="answered by Prunus", envelope=envelope, reply=reply)
        given = body if turn is None else turn.before()
        subagent = from_subagent(arrived.headers, envelope.system)
        share = min(1.0, len(body) / max(1, len(given)))
        outcome = self._prune(
            arrived,
            given,
            arrived.time,
            deadline,
            claim,
            lambda outcome: self.record_edits(self._exchange(arrived, envelope, outcome, share), outcome),
            hold=bool(envelope.hold),
            subagent=subagent,
            at_once=at_once,
            glance=glance if given is body else None,
        )
        if at_once and outcome.fault is not None:
            raise outcome.fault
        if skip := self._not_pruned(outcome, envelope):
            return Prepared(arrived.raw, skip=skip, envelope=envelope)
        if self._goes_whole(envelope, outcome.report):
            outcome = without_edits(outcome, given)
        sent = outcome.body if turn is None else turn.after(outcome)
        sent = with_lifetime(sent, arrived, outcome)
        exchange = self._exchange(arrived, envelope, outcome, share)
        changed = not exchange.shadow and sent is not body and sent != body
        return Prepared(
            sent if changed else arrived.raw,
            changed,
            "",
            envelope,
            outcome,
            (*outcome.receipts, *outcome.passed),
            exchange,
            None if exchange.shadow else turn,
            size=len(body),
            given=len(given),
            status_line="" if exchange.shadow else self._said(outcome.receipts),
            arrived=arrived,
        )

    def _exchange(self, arrived: Arrived, envelope: Envelope, outcome: Outcome[bytes], share: float) -> Exchange:
        shadow = self.settings.proxy.shadow or outcome.conversation in self._refused
        return exchange_of(arrived, envelope, outcome, share, shadow=shadow)

    def _owner(self, arrived: Arrived) -> str:
        """Whose conversations a request may continue."""
        # In shadow mode nothing is sent as it was decided, so what was decided says nothing of a real run.
        return f"{arrived.caller} shadow" if self.settings.proxy.shadow else arrived.caller

    def _left_alone(self, arrived: Arrived, envelope: Envelope) -> str:
        """Why the settings leave a request alone; empty where they do not."""
        skips = self.settings.subagents == "skip"
        return SUBAGENT if skips and from_subagent(arrived.headers, envelope.system) else ""

    def _open(self, arrived: Arrived, envelope: Envelope, body: bytes) -> Interceptor | None:
        """Return the agent layer's interceptor for a request; None if it has nothing to do."""
        if self._layer is None:
            return None
        return self._layer.open(
            body,
            arrived.route.format,
            streaming=envelope.streaming or arrived.route.streaming,
            tenant=self.name,
            caller=arrived.caller,
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
        return self.pruner.prune(
            body,
            now,
            format=arrived.route.format,
            model=arrived.route.model,
            key=arrived.key,
            owner=self._owner(arrived),
            client=arrived.client,
            deadline=deadline,
            claim=claim,
            record=record,
            hold=hold,
            subagent=subagent,
            marks=sets_marks(self.settings, arrived, body),
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
        arrived, envelope = prepared.arrived, prepared.envelope
        if arrived is None or envelope is None or envelope.hold:
            return None
        subagent = from_subagent(arrived.headers, envelope.system)
        found = self._prune(arrived, body, time(), deadline, claim, subagent=subagent)
        return found if found.error is None and found.conversation else None

    def go_on(self, prepared: Prepared, outcome: Outcome[bytes] | None) -> Prepared:
        """Return what to send for a further request of the same turn."""
        turn, exchange = prepared.turn, prepared.exchange
        assert turn is not None and exchange is not None
        body, decided = turn.again(outcome), outcome or prepared.outcome
        if decided is not None and prepared.arrived is not None:
            body = with_lifetime(body, prepared.arrived, decided)
        if outcome is None:
            return replace(prepared, body=body)
        call = Further(outcome.request, outcome.flush, outcome.receipts)
        if self.kept and call.receipts:
            self.record(exchange, call.receipts)
        further = replace(prepared, body=body, further=(*prepared.further, call))
        return replace(further, status_line=self._said(further.all_receipts))

    def _said(self, receipts: Sequence[Receipt]) -> str:
        """The status line of what the agent or the user asked for."""
        settings = self.settings
        return requested_line(receipts, settings.notification, distillation=settings.show_distillation)

    def _goes_whole(self, envelope: Envelope, report: Report) -> bool:
        """Whether a request for a summary is sent without edits: that is wanted, and it fits the model's window."""
        if not envelope.hold or self.settings.compaction == "pruned":
            return False
        return report.tokens_before < _FITS * self.settings.window_of(report.model)

    def record_edits(self, exchange: Exchange, outcome: Outcome[bytes]) -> None:
        """Write down what a request cuts, and what its newest calls ask for again."""
        receipts = (*outcome.receipts, *outcome.passed)
        if self.kept and (receipts or exchange.asks):
            self.record(exchange, receipts)

    def record(self, exchange: Exchange, receipts: Sequence[Receipt]) -> None:
        """Write receipts down before the request is sent, so that none is ever missing."""
        assert self.store is not None
        try:
            self.store.record(self.name, exchange, receipts)
        except Exception as error:
            self._faults.report("store", error)

    def refuse(self, prepared: Prepared) -> Prepared:
        """The provider refused the pruned request and took the original: leave this conversation alone."""
        exchange = prepared.exchange
        if exchange is None:
            return prepared
        self._refused[exchange.conversation] = None
        while len(self._refused) > _REFUSED:
            self._refused.popitem(last=False)
        return replace(prepared, changed=False, status_line="", exchange=replace(exchange, shadow=True))
