"""Tells what became of each request: counts it, records it, traces it, logs it, and shows it in the terminal."""

from __future__ import annotations

from collections.abc import Callable

from prunus.proxy.exchange import Event
from prunus.proxy.faults import Faults
from prunus.proxy.log_lines import log_request, log_step_back
from prunus.proxy.metrics import Metrics
from prunus.proxy.recorder import Describe, Recorder
from prunus.proxy.tracing import Tracing
from prunus.store.records import Exchange
from prunus.store.store import Store


class Journal:
    """What is written of the requests of one proxy."""

    def __init__(
        self, metrics: Metrics, faults: Faults, tracing: Tracing | None, watch: Callable[[Event], None] | None
    ) -> None:
        self._metrics = metrics
        self._faults = faults
        self._tracing = tracing
        self._watch = watch
        self._recorder: Recorder | None = None
        self._stepped_back: set[tuple[str, str]] = set()
        """The agents and strategies of which the log has told that they step back."""

    def open(self, store: Store, describe: Describe) -> None:
        """Write exchanges to a store from now on, with descriptions of their conversations."""
        self._recorder = Recorder(store, self._faults, describe)

    def close(self) -> None:
        """Write what waits, for a short time."""
        if self._tracing is not None:
            self._tracing.close()
        if self._recorder is not None:
            self._recorder.close()

    def record(self, tenant: str, exchange: Exchange) -> None:
        """Count and record an exchange."""
        self._metrics.exchanged(exchange)
        if self._recorder is not None:
            self._recorder.put(tenant, exchange)

    def tell(self, tenant: str, event: Event) -> None:
        """Count, record, trace, log and show a request that is over."""
        exchange = event.exchange
        self._metrics.requests.labels(exchange.format if exchange is not None else "", event.what).inc()
        self._metrics.answers.labels(event.upstream, str(event.status)).inc()
        if exchange is not None:
            self.record(tenant, exchange)
        self._trace(event)
        self._tell_of_steps_back(event)
        log_request(event)
        if self._watch is not None:
            try:
                self._watch(event)
            except Exception as error:  # a table that cannot be drawn must not cost a request
                self._faults.report("display", error)

    def _trace(self, event: Event) -> None:
        if self._tracing is not None:
            try:
                self._tracing.request(event)
            except Exception as error:  # a span that cannot be made must not cost a request
                self._faults.report("otlp", error)

    def _tell_of_steps_back(self, event: Event) -> None:
        """Log once for each agent which strategies step back."""
        for strategy in event.report.stepped_back if event.report is not None else ():
            if (event.client, strategy) not in self._stepped_back:
                self._stepped_back.add((event.client, strategy))
                log_step_back(event.client, strategy)
