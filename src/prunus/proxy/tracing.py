"""Spans for an OpenTelemetry collector, one for each request of a model.

Names follow the conventions for generative AI (`gen_ai.*`); what only Prunus knows is under `prunus.*`. No
attribute holds words of a conversation.

A span is put into a bounded queue once its request is over, and a thread of its own sends the queue to the
collector. So a slow or dead collector delays no request: it costs spans, and a fault in `/metrics`.

The packages of `prunus[otel]` are imported only where `proxy.otlp` names a collector. They also read the usual
variables (`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_HEADERS` and their kin).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from prunus.errors import SettingsError
from prunus.providers import api_named
from prunus.proxy.exchange import Event
from prunus.proxy.faults import Faults
from prunus.store.records import Exchange

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

_PACKAGES: Final = ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")
_PATH: Final = "/v1/traces"
_END_SECONDS: Final = 3.0
"""Seconds that the last spans get to be sent when the proxy ends."""
_NANO: Final = 1_000_000_000


def check_tracing(collector: str) -> None:
    """Raise where a collector is named and the packages for it are not installed."""
    if not collector:
        return
    try:
        missing = not all(map(find_spec, _PACKAGES))
    except ModuleNotFoundError:  # not even the package above is there
        missing = True
    if missing:
        raise SettingsError(f"proxy.otlp = {collector!r} needs more packages: pip install 'prunus[otel]'")


class Tracing:
    """Tells a collector of requests."""

    def __init__(self, collector: str, faults: Faults) -> None:
        check_tracing(collector)
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        # The library logs each failure in words of its own; `Faults` logs the first, and counts all.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        own = Resource({"service.name": "prunus", "service.version": version("prunus")})
        self._provider = TracerProvider(resource=own.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
        endpoint = collector.rstrip("/").removesuffix(_PATH) + _PATH
        self._provider.add_span_processor(BatchSpanProcessor(_reporting(OTLPSpanExporter(endpoint), faults)))
        self._tracer = self._provider.get_tracer("prunus", version("prunus"))
        self._context = TraceContextTextMapPropagator()

    def request(self, event: Event) -> None:
        """Send a span for a finished request; requests that Prunus did not look at have none."""
        from opentelemetry.trace import SpanKind, Status, StatusCode

        exchange = event.exchange
        if exchange is None:
            return
        operation = api_named(exchange.format).operation
        began = int(event.time * _NANO)
        span = self._tracer.start_span(
            f"{operation} {exchange.model}".strip(),
            self._context.extract({"traceparent": event.traceparent}),
            SpanKind.CLIENT,
            {"gen_ai.operation.name": operation, **_gen_ai(event, exchange), **_own(event, exchange)},
            start_time=began,
        )
        if exchange.flush is not None:
            flush: dict[str, str | int | float] = {
                "prunus.flush.reason": exchange.flush.reason,
                "prunus.flush.cost": exchange.cost_of_break,
                "prunus.flush.rewritten_tokens": exchange.flush.rewritten,
            }
            span.add_event("prunus.flush", flush, began)
        if not 200 <= event.status < 400:
            span.set_attribute("error.type", str(event.status) if event.status else "cancelled")
            span.set_status(Status(StatusCode.ERROR))
        span.end(began + int(event.seconds * _NANO))

    def close(self) -> None:
        """Send the remaining spans, for a short time."""
        ending = threading.Thread(target=self._provider.shutdown, name="prunus-otlp-end", daemon=True)
        ending.start()
        ending.join(_END_SECONDS)


def _gen_ai(event: Event, exchange: Exchange) -> Mapping[str, str | int]:
    """Return the attributes that the conventions define."""
    api = api_named(exchange.format)
    attributes: dict[str, str | int] = {
        "gen_ai.provider.name": api.genai_provider if event.upstream == api.upstream else event.upstream,
        "gen_ai.request.model": exchange.model,
        "gen_ai.conversation.id": event.session or exchange.conversation,
    }
    if event.status:  # the client did not leave before the answer
        attributes["http.response.status_code"] = event.status
    usage = exchange.usage
    if usage is not None:
        attributes |= {
            # By the conventions, the input counts cached tokens too.
            "gen_ai.usage.input_tokens": usage.prompt,
            "gen_ai.usage.output_tokens": usage.output,
            "gen_ai.usage.cache_read.input_tokens": usage.cache_read,
            "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
        }
    return attributes


def _own(event: Event, exchange: Exchange) -> Mapping[str, str | int | float | bool]:
    """Return the attributes that only Prunus knows; costs are in uncached input tokens."""
    return {
        "prunus.what": event.what,
        "prunus.client": event.client,
        "prunus.conversation": exchange.conversation,
        "prunus.request": exchange.request,
        "prunus.tokens.before": exchange.tokens_before,
        "prunus.tokens.after": exchange.tokens_after,
        "prunus.tokens.removed": exchange.tokens_before - exchange.tokens_after,
        "prunus.cost.actual": exchange.cost,
        "prunus.cost.unpruned": exchange.cost_unpruned,
        "prunus.edits": sum(not receipt.passed for receipt in event.receipts),
        "prunus.asked_again": len(exchange.asks),
        "prunus.behind": exchange.behind,
        "prunus.prune.duration": event.preparing,
    }


def _reporting(inner: SpanExporter, faults: Faults) -> SpanExporter:
    """The same exporter, which reports each failure as a fault."""
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Reporting(SpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            result = inner.export(spans)
            if result is not SpanExportResult.SUCCESS:
                faults.report("otlp", "the collector did not take spans")
            return result

        def shutdown(self) -> None:
            inner.shutdown()

    return Reporting()
