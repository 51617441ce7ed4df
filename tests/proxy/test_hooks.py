"""What the agent layer can do in an exchange, and which faults of it are harmless."""

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from prunus.outcome import Outcome
from prunus.proxy.app import App
from prunus.proxy.serve import Background
from prunus.settings import Settings
from prunus.store.in_memory import InMemoryStore
from tests.proxy.caller import PATIENCE, call, dial
from tests.proxy.provider import Provider
from tests.proxy.talk import body

RAW = body("anthropic_messages")


@dataclass
class Turn:
    """Adds a key to the request, shouts the answer, and asks once more."""

    body: bytes
    breaks: str = ""
    own: tuple[str, bytes] | None = None
    watches: bool = True
    hops: int = 1
    calls: list[str] = field(default_factory=list)

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.breaks == name:
            raise RuntimeError("a bug of the layer")

    def reply(self) -> tuple[str, bytes] | None:
        self._called("reply")
        return self.own

    def before(self) -> bytes:
        self._called("before")
        return self.body

    def after(self, outcome: Outcome) -> bytes:
        self._called("after")
        return bytes(outcome.body[:-1]) + b', "added": 1}'

    def feed(self, chunk: bytes) -> bytes:
        self._called("feed")
        return chunk.upper()

    def end(self) -> tuple[bytes, bytes | None]:
        self._called("end")
        self.hops -= 1
        return b"<end>", b'{"again": 1}' if self.hops >= 0 else None

    def again(self, outcome: Outcome | None) -> bytes:
        if "again" in self.calls:
            self.breaks = ""
        self._called("again")
        return b'{"again": 1}'

    def fail(self, status: int, body: bytes) -> bytes:
        self._called("fail")
        return b"<failed %d>" % status


@dataclass
class Layer:
    """Gives each request the same turn."""

    turn: Turn | None
    seen: list[tuple[str, bool, str]] = field(default_factory=list)
    offers: list[bool] = field(default_factory=list)

    def open(
        self, body: bytes, format: str, *, streaming: bool, tenant: str, caller: str, offers: bool = True
    ) -> Turn | None:
        self.seen.append((format, streaming, tenant))
        self.offers.append(offers)
        return self.turn


def with_layer(provider: Provider, layer: Layer, events: list[Any] | None = None, **proxy: Any) -> Background:
    urls = dict.fromkeys(("anthropic", "openai", "gemini"), provider.url)
    settings = Settings(
        preset="acp", proxy={"port": 0, "deadline": 600.0, **proxy}, store={"url": "off"}, upstreams=urls
    )
    watch = events.append if events is not None else None
    return Background(settings, make=lambda: App(settings, InMemoryStore(), layer, watch))


async def answer(request: web.Request) -> web.StreamResponse:
    return web.Response(body=b"hop", headers={"content-length": "3"})


def test_a_turn_sees_both_sides_and_may_go_on(provider: Provider) -> None:
    provider.answer = answer
    turn = Turn(RAW)
    layer = Layer(turn)
    with with_layer(provider, layer) as proxy:
        got = call(
            proxy.url,
            "POST",
            "/v1/messages",
            body("anthropic_messages", stream=True),
            [("accept-encoding", "gzip")],
        )
    assert got.body == b"HOP<end>HOP<end>"
    assert layer.seen == [("anthropic_messages", True, "")]
    first, second = provider.asked
    assert json.loads(first.body)["added"] == 1
    assert second.body == b'{"again": 1}'
    assert first.header("accept-encoding") == second.header("accept-encoding") == "identity"
    assert turn.calls == ["reply", "before", "after", "feed", "end", "again", "feed", "end"]


def test_a_bug_in_a_further_call_sends_it_as_it_is(provider: Provider) -> None:
    provider.answer = answer
    with with_layer(provider, Layer(Turn(RAW, breaks="again"))) as proxy:
        got = call(proxy.url, "POST", "/v1/messages", body("anthropic_messages", stream=True))
    assert got.body == b"HOP<end>HOP<end>"
    assert [asked.body for asked in provider.asked[1:]] == [b'{"again": 1}']


def test_a_turn_may_answer_by_itself(provider: Provider) -> None:
    with with_layer(provider, Layer(Turn(RAW, own=("text/event-stream", b"data: stats\n\n")))) as proxy:
        got = call(proxy.url, "POST", "/v1/messages", RAW)
    assert (got.status, got.body, got.header("content-type")) == (200, b"data: stats\n\n", "text/event-stream")
    assert provider.asked == []


def test_a_turn_that_does_not_watch_leaves_the_answer_alone(provider: Provider) -> None:
    provider.answer = answer
    with with_layer(provider, Layer(Turn(RAW, watches=False))) as proxy:
        got = call(proxy.url, "POST", "/v1/messages", RAW)
    assert (got.body, got.header("content-length")) == (b"hop", "3")


def test_a_further_call_that_fails_ends_in_the_words_of_the_layer(provider: Provider) -> None:
    async def once(request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"hop", status=200 if len(provider.asked) == 1 else 529)

    provider.answer = once
    with with_layer(provider, Layer(Turn(RAW))) as proxy:
        assert call(proxy.url, "POST", "/v1/messages", RAW).body == b"HOP<end><failed 529>"


def test_a_further_call_without_an_answer_ends_the_exchange(provider: Provider) -> None:
    async def once(request: web.Request) -> web.StreamResponse:
        if len(provider.asked) > 1 and request.transport is not None:
            request.transport.abort()
        return web.Response(body=b"hop")

    provider.answer = once
    with with_layer(provider, Layer(Turn(RAW))) as proxy:
        assert call(proxy.url, "POST", "/v1/messages", RAW).body == b"HOP<end><failed 502>"


def test_a_client_that_hangs_up_during_a_failed_further_call_cancels_it(provider: Provider) -> None:
    async def fail_slowly(request: web.Request) -> web.StreamResponse:
        if len(provider.asked) == 1:
            return web.Response(body=b"hop")
        out = web.StreamResponse(status=500)
        await out.prepare(request)
        while True:
            await out.write(b"more")
            await asyncio.sleep(0.01)

    provider.answer = fail_slowly
    with with_layer(provider, Layer(Turn(RAW))) as proxy:
        line = dial(proxy.url, "/v1/messages", RAW)
        while len(provider.asked) < 2:
            time.sleep(0.01)
        line.close()
        assert provider.gone.wait(PATIENCE)


def test_every_call_of_the_model_is_paid(provider: Provider) -> None:
    async def costly(request: web.Request) -> web.StreamResponse:
        return web.json_response({"usage": {"input_tokens": 4000, "output_tokens": 1}})

    provider.answer = costly
    events: list[Any] = []
    for hops in (0, 2):
        with with_layer(provider, Layer(Turn(RAW, hops=hops)), events) as proxy:
            call(proxy.url, "POST", "/v1/messages", RAW)
    plain, longer = (event.exchange for event in events)
    assert (plain.usage.input, longer.usage.input) == (4000, 12_000)
    assert longer.cost == plain.cost + 8000
    assert longer.cost_unpruned == plain.cost_unpruned


def test_an_error_is_not_shown_to_the_turn(provider: Provider) -> None:
    async def no(request: web.Request) -> web.StreamResponse:
        return web.Response(status=429, body=b"later")

    provider.answer = no
    turn = Turn(RAW)
    with with_layer(provider, Layer(turn)) as proxy:
        assert call(proxy.url, "POST", "/v1/messages", RAW).body == b"later"
    assert "feed" not in turn.calls


@pytest.mark.parametrize("breaks", ["reply", "before", "after"])
def test_a_bug_before_the_request_sends_the_original(provider: Provider, breaks: str) -> None:
    provider.answer = answer
    with with_layer(provider, Layer(Turn(RAW, breaks=breaks))) as proxy:
        assert call(proxy.url, "POST", "/v1/messages", RAW).body == b"hop"
    assert provider.asked[0].body == RAW


@pytest.mark.parametrize(("breaks", "body"), [("feed", b"hop"), ("end", b"HOP")])
def test_a_bug_in_the_answer_lets_the_rest_through(provider: Provider, breaks: str, body: bytes) -> None:
    provider.answer = answer
    with with_layer(provider, Layer(Turn(RAW, breaks=breaks))) as proxy:
        got = call(proxy.url, "POST", "/v1/messages", RAW)
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert (got.status, got.body) == (200, body)
    assert 'prunus_faults_total{where="agent"} 1.0' in metrics


def test_a_layer_is_not_asked_in_shadow(provider: Provider) -> None:
    layer = Layer(Turn(RAW))
    with with_layer(provider, layer, shadow=True) as proxy:
        call(proxy.url, "POST", "/v1/messages", RAW)
    assert layer.seen == []


def test_a_layer_offers_nothing_in_requests_without_tools(provider: Provider) -> None:
    layer = Layer(Turn(RAW))
    with with_layer(provider, layer) as proxy:
        call(proxy.url, "POST", "/v1/messages", b'{"messages": []}')
        call(proxy.url, "POST", "/v1/messages", RAW)
    assert layer.offers == [False, True]
