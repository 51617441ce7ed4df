"""Spans for an OpenTelemetry collector, read from the protobuf that a collector gets."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import web

from prunus.errors import SettingsError
from prunus.proxy.tracing import check_tracing
from tests.loopback import Loopback
from tests.proxy.caller import PATIENCE, call, dial
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import BODIES, PATHS, body, steps

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="needs prunus[otel]")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SECRET = "swordfish"
USAGE = {"input_tokens": 100, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 7, "output_tokens": 3}
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


@pytest.fixture(autouse=True)
def without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library reads its variables at each start; those of the machine must not change the tests."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)


class Collector(Loopback):
    """Keeps the spans that it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.services: list[dict[str, Any]] = []
        self.spans: list[Any] = []

    async def serve(self, http: web.Request) -> web.StreamResponse:
        raw = await http.read()
        given = ExportTraceServiceRequest.FromString(
            gzip.decompress(raw) if http.headers.get("content-encoding") == "gzip" else raw
        )
        self.targets.append(http.path)
        for one in given.resource_spans:
            self.services.append(values(one.resource.attributes))
            self.spans += [span for scope in one.scope_spans for span in scope.spans]
        return web.Response(content_type="application/x-protobuf")


def values(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as running:
        yield running


async def with_usage(request: web.Request) -> web.StreamResponse:
    return web.json_response({"usage": USAGE})


def test_a_request_is_a_span_by_the_conventions(provider: Provider, collector: Collector) -> None:
    provider.answer = with_usage
    headers = [("x-claude-code-session-id", "s-1"), ("traceparent", f"00-{TRACE}-{PARENT}-01")]
    before = time.time_ns()
    with behind(provider, proxy={"otlp": collector.url}) as proxy:
        assert call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"), headers).status == 200
    [span] = collector.spans
    assert collector.targets == ["/v1/traces"]
    assert collector.services[0]["service.name"] == "prunus"
    assert (span.name, span.kind) == ("chat claude-sonnet-4-5", span.SPAN_KIND_CLIENT)
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert before <= span.start_time_unix_nano <= span.end_time_unix_nano <= time.time_ns()
    found = values(span.attributes)
    assert {key: value for key, value in found.items() if not key.startswith("prunus.")} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-sonnet-4-5",
        "gen_ai.conversation.id": "s-1",
        "gen_ai.usage.input_tokens": 157,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 50,
        "gen_ai.usage.cache_creation.input_tokens": 7,
        "http.response.status_code": 200,
    }
    assert found["prunus.what"] == "pruned"
    assert found["prunus.tokens.removed"] == found["prunus.tokens.before"] - found["prunus.tokens.after"] > 0
    assert found["prunus.cost.unpruned"] > found["prunus.cost.actual"] > 0
    assert found["prunus.edits"] > 0 and found["prunus.prune.duration"] > 0


@pytest.mark.parametrize(
    ("format", "operation", "name"),
    [
        ("openai_chat", "chat", "openai"),
        ("openai_responses", "chat", "openai"),
        ("gemini", "generate_content", "gcp.gemini"),
    ],
)
def test_each_format_names_its_operation_and_provider(
    provider: Provider, collector: Collector, format: str, operation: str, name: str
) -> None:
    with behind(provider, proxy={"otlp": collector.url}) as proxy:
        call(proxy.url, "POST", PATHS[format], body(format))
    found = values(collector.spans[0].attributes)
    assert (found["gen_ai.operation.name"], found["gen_ai.provider.name"]) == (operation, name)
    assert found["gen_ai.conversation.id"] == found["prunus.conversation"]


def test_a_provider_of_your_own_keeps_its_name(provider: Provider, collector: Collector) -> None:
    with behind(provider, proxy={"otlp": collector.url}, upstreams={"more": (f"groq={provider.url}",)}) as proxy:
        call(proxy.url, "POST", "/@groq/v1/chat/completions", body("openai_chat"))
    assert values(collector.spans[0].attributes)["gen_ai.provider.name"] == "groq"


def test_a_cache_break_is_an_event_of_the_span(provider: Provider, collector: Collector) -> None:
    provider.answer = with_usage
    with behind(provider, proxy={"otlp": collector.url}) as proxy:
        for count in range(1, 6):
            call(proxy.url, "POST", "/v1/messages", body("anthropic_messages", count))
        history = [*steps(6), ("Write", {"file_path": "/srv/greet.py", "content": "new\n" * 50}, "Updated.")]
        call(proxy.url, "POST", "/v1/messages", json.dumps(BODIES["anthropic_messages"](history)).encode())
    events = [event for span in collector.spans for event in span.events]
    assert events and all(event.name == "prunus.flush" for event in events)
    assert values(events[0].attributes).keys() == {
        "prunus.flush.reason",
        "prunus.flush.cost",
        "prunus.flush.rewritten_tokens",
    }


def test_an_error_of_the_provider_is_an_error_of_the_span(provider: Provider, collector: Collector) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response({"error": SECRET}, status=529)

    provider.answer = answer
    with behind(provider, proxy={"otlp": collector.url}) as proxy:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
    [span] = collector.spans
    assert span.status.code == span.status.STATUS_CODE_ERROR
    assert values(span.attributes)["error.type"] == "529"


def test_a_client_that_leaves_before_the_answer_gets_no_status(provider: Provider, collector: Collector) -> None:
    reached = threading.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        reached.set()
        await asyncio.sleep(PATIENCE)
        return web.Response()

    provider.answer = answer
    with behind(provider, proxy={"otlp": collector.url}) as proxy:
        with dial(proxy.url, "/v1/messages", body("anthropic_messages")):
            assert reached.wait(PATIENCE)
        assert provider.gone.wait(PATIENCE)
    [span] = collector.spans
    found = values(span.attributes)
    assert found["error.type"] == "cancelled"
    assert "http.response.status_code" not in found


def test_no_text_of_a_conversation_is_in_a_span(provider: Provider, collector: Collector) -> None:
    path = {"file_path": f"/srv/{SECRET}.py"}
    history = [("Read", path, SECRET * 99), ("Write", {**path, "content": SECRET * 99}, "Updated."), *steps()]
    with behind(provider, proxy={"otlp": collector.url}) as proxy:
        call(proxy.url, "POST", "/v1/messages", json.dumps(BODIES["anthropic_messages"](history)).encode())
    assert len(collector.spans) == 1 and SECRET not in str(collector.spans)


def test_a_request_that_is_only_passed_on_has_no_span(provider: Provider, collector: Collector) -> None:
    with behind(provider, proxy={"otlp": collector.url}) as proxy:
        call(proxy.url, "GET", "/v1/models")
    assert collector.spans == []


def test_a_dead_collector_costs_a_fault_and_no_request(provider: Provider) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts connections, and never answers
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with behind(provider, proxy={"otlp": address}) as proxy:
            for _ in range(20):
                assert call(proxy.url, "POST", "/v1/messages", body("anthropic_messages")).status == 200
    with socket.socket() as taken:  # a port that nobody else gets, and that refuses connections
        taken.bind(("127.0.0.1", 0))
        with behind(provider, proxy={"otlp": f"http://127.0.0.1:{taken.getsockname()[1]}"}) as proxy:
            assert call(proxy.url, "POST", "/v1/messages", body("anthropic_messages")).status == 200
            until = time.monotonic() + PATIENCE
            while 'prunus_faults_total{where="otlp"}' not in call(proxy.url, "GET", "/metrics").body.decode():
                assert time.monotonic() < until
                time.sleep(0.1)


def test_nothing_is_imported_where_no_collector_is_named() -> None:
    code = (
        "import sys; from prunus.proxy.serve import Background; from prunus.settings import Settings\n"
        "with Background(Settings(proxy={'port': 0}, store={'url': 'off'})): pass\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prunus.proxy.tracing._PACKAGES", ("no_such_package.at_all",))
    check_tracing("")
    with pytest.raises(SettingsError, match=r"prunus\[otel\]"):
        check_tracing("http://127.0.0.1:4318")
