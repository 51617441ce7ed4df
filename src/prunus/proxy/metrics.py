"""Metrics for Prometheus. Labels come from short lists, so that their number stays bounded.

Workers count in files of a folder that `serve` creates, so any worker can answer for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

from prunus.store.records import Exchange

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
_MODELS: Final = 100
_SHORT: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_LONG: Final = (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60, 120, 300)


class Metrics:
    """The counters of one proxy."""

    def __init__(self) -> None:
        own = CollectorRegistry()
        self._registry = own
        self._models: set[str] = set()
        self.requests = Counter(
            "prunus_requests", "Requests by what became of them.", ["format", "what"], registry=own
        )
        self.answers = Counter("prunus_answers", "Answers by status.", ["upstream", "status"], registry=own)
        self.faults = Counter("prunus_faults", "Faults of Prunus; the request went on.", ["where"], registry=own)
        self.tokens = Counter(
            "prunus_tokens",
            "Tokens of requests, as they came and as they were sent.",
            ["model", "when", "mode"],
            registry=own,
        )
        self.billed = Counter(
            "prunus_billed_tokens", "Tokens by the provider's word.", ["model", "kind"], registry=own
        )
        self.cost = Counter(
            "prunus_cost_tokens", "Cost in uncached input tokens, and what it would have been.",
            ["model", "when", "mode"], registry=own,
        )  # fmt: skip
        self.breaks = Counter(
            "prunus_cache_breaks", "Declared breaks of the prompt cache.", ["model", "mode"], registry=own
        )
        self.cut = Counter(
            "prunus_cut_parts",
            "Parts that were cut and that a later call can ask for.",
            ["strategy", "kind", "mode"],
            registry=own,
        )
        self.asked_again = Counter(
            "prunus_asked_again",
            "Cut parts that a later call asked for.",
            ["strategy", "kind", "mode"],
            registry=own,
        )
        self.behind = Counter(
            "prunus_behind",
            "Requests that there was no time to look at; they went out with the edits in force.",
            registry=own,
        )
        self.keep_alives = Counter(
            "prunus_keep_alives", "Keep-alive requests for the prompt cache.", ["model", "status"], registry=own
        )
        self.keep_alive_cost = Counter(
            "prunus_keep_alive_cost_tokens", "Their cost in uncached input tokens.", ["model"], registry=own
        )
        self.open = Gauge(
            "prunus_open_requests", "Requests that are being served.", registry=own, multiprocess_mode="livesum"
        )
        self.pruning = Histogram("prunus_prune_seconds", "Time to prune.", buckets=_SHORT, registry=own)
        self.first_byte = Histogram(
            "prunus_first_byte_seconds", "Time to the first byte of the answer.", buckets=_LONG, registry=own
        )

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Count a request as being served, as long as the block runs."""
        self.open.inc()
        try:
            yield
        finally:
            self.open.dec()

    def render(self) -> bytes:
        """All of it as text."""
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            every = CollectorRegistry()
            MultiProcessCollector(every)  # type: ignore[no-untyped-call]  # the library has no types for it
            return generate_latest(every)
        return generate_latest(_WithoutCreated(self._registry))

    def fault(self, where: str) -> None:
        """Count a fault."""
        self.faults.labels(where).inc()

    def exchanged(self, exchange: Exchange) -> None:
        """Count a finished exchange and its cuts; of a shadow run the figures say what would have been."""
        model, mode = self._model(exchange.model), "shadow" if exchange.shadow else "real"
        for when, tokens in (("before", exchange.tokens_before), ("after", exchange.tokens_after)):
            self.tokens.labels(model, when, mode).inc(tokens)
        if exchange.usage is not None:
            for kind in ("input", "cache_read", "cache_write", "output"):
                self.billed.labels(model, kind).inc(getattr(exchange.usage, kind))
        for when, cost in (("before", exchange.cost_unpruned), ("after", exchange.cost)):
            self.cost.labels(model, when, mode).inc(max(0.0, cost))
        for cut in exchange.cuts:
            self.cut.labels(cut.strategy, cut.kind, mode).inc()
        for ask in exchange.asks:
            self.asked_again.labels(ask.strategy, ask.kind, mode).inc()
        self.behind.inc(exchange.behind)
        if exchange.keep_alive:
            self.keep_alives.labels(model, str(exchange.status)).inc()
            self.keep_alive_cost.labels(model).inc(exchange.cost)
        if exchange.flush is not None:
            self.breaks.labels(model, mode).inc()

    def _model(self, model: str) -> str:
        if model not in self._models:
            if len(self._models) >= _MODELS:
                return "other"
            self._models.add(model)
        return model


class _WithoutCreated:
    """What a registry collects, without the series `…_created`: workers that count together have none either."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        for metric in self._registry.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric
