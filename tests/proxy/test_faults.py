"""Faults lose no data, block no request, and make no request worse."""

import asyncio
import json
import socket
import threading
import time
from typing import Any

import pytest
from aiohttp import web

from prunus.proxy import tenant
from tests.proxy.caller import PATIENCE, call, dial
from tests.proxy.provider import Provider, behind, sse
from tests.proxy.talk import body

RAW = body("anthropic_messages")


def read_all(line: socket.socket) -> bytes:
    got = b""
    while piece := line.recv(65_536):
        got += piece
    return got


def test_an_error_arrives_as_the_provider_said_it(provider: Provider) -> None:
    statuses = [401, 403, 404, 413, 429, 500, 502, 503, 529]
    said = {"type": "error", "error": {"type": "overloaded_error", "message": "later"}}

    async def answer(request: web.Request) -> web.StreamResponse:
        status = statuses[len(provider.asked) - 1]
        return web.json_response(said, status=status, headers={"retry-after": "3", "x-should-retry": "true"})

    provider.answer = answer
    with behind(provider) as proxy:
        answers = [call(proxy.url, "POST", "/v1/messages", RAW) for _ in statuses]
    assert [got.status for got in answers] == statuses
    for got in answers:
        assert json.loads(got.body) == said
        assert (got.header("retry-after"), got.header("x-should-retry")) == ("3", "true")
    assert len(provider.asked) == len(statuses)


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/responses", "/v1beta/models/g:generateContent"])
def test_a_refusing_upstream_becomes_an_error_in_the_providers_format(path: str) -> None:
    with Provider() as provider:
        pass
    with behind(provider) as proxy:
        got = call(proxy.url, "POST", path, RAW)
    assert got.status == 502
    assert "cannot be reached" in json.loads(got.body)["error"]["message"]


def test_an_upstream_that_stalls_is_given_up(provider: Provider) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    provider.answer = answer
    with behind(provider, proxy={"idle_timeout": 0.2}) as proxy:
        got = call(proxy.url, "POST", "/v1/messages", RAW)
    assert got.status == 504
    assert provider.gone.wait(PATIENCE)


@pytest.mark.parametrize("kind", ["reset", "stall"])
def test_an_answer_that_breaks_off_does_not_look_whole(provider: Provider, kind: str) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        out = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await out.prepare(request)
        await out.write(b"data: half\n\n")
        if kind == "stall":
            await asyncio.sleep(600)
        await asyncio.to_thread(seen.wait)
        assert request.transport is not None
        request.transport.abort()
        return out

    seen = threading.Event()
    provider.answer = answer
    # Long enough for the first half to arrive on any machine.
    with behind(provider, proxy={"idle_timeout": 5 if kind == "stall" else 600}) as proxy:
        with dial(proxy.url, "/v1/messages", RAW) as line:
            got = b""
            while b"half" not in got:
                got += line.recv(1000)
            seen.set()
            got += read_all(line)
        assert call(proxy.url, "GET", "/healthz").status == 200
    assert b"data: half\n\n" in got
    assert not got.endswith(b"0\r\n\r\n")


def test_malformed_events_pass_as_they_are(provider: Provider) -> None:
    chunks = [b"data: {no json\n\n", b"neither: usage\n\x00\xff\n\n", b'data: {"usage": [1]}\n\n', b"\n" * 5]
    provider.answer = sse(*chunks)
    with behind(provider) as proxy:
        got = call(proxy.url, "POST", "/v1/messages", RAW)
    assert got.body == b"".join(chunks)


@pytest.mark.parametrize("next_request", [b"", b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_a_client_that_hangs_up_cancels_the_upstream(
    provider: Provider, next_request: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        out = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await out.prepare(request)
        while True:
            await out.write(b"data: more\n\n")
            await asyncio.sleep(0.01)

    provider.answer = answer
    events: list[Any] = []
    with behind(provider, watch=events) as proxy:
        line = dial(proxy.url, "/v1/messages", RAW)
        line.sendall(next_request)
        assert b"200" in line.recv(100)
        line.close()
        assert provider.gone.wait(PATIENCE)
    assert [event.status for event in events] == [200]
    assert "failed" not in caplog.text


def test_a_client_that_hangs_up_before_the_answer_cancels_too(provider: Provider) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    provider.answer = answer
    events: list[Any] = []
    with behind(provider, watch=events) as proxy:
        line = dial(proxy.url, "/v1/messages", RAW)
        while not provider.asked:
            time.sleep(0.01)
        line.close()
        assert provider.gone.wait(PATIENCE)
    assert [event.status for event in events] == [0]


def test_a_client_that_hangs_up_in_its_request_leaves_nothing_behind(provider: Provider) -> None:
    with behind(provider) as proxy:
        place = proxy.url.removeprefix("http://").split(":")
        for path in ("/v1/messages", "/v1/files"):
            line = socket.create_connection((place[0], int(place[1])), timeout=10)
            line.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf".encode())
            time.sleep(0.05)
            line.close()
        assert call(proxy.url, "POST", "/v1/messages", RAW).status == 200
        metrics = ""
        while "prunus_open_requests 0.0" not in metrics:
            metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert "prunus_faults_total" not in metrics.replace("# HELP prunus_faults_total", "").replace(
        "# TYPE prunus_faults_total", ""
    )


def test_a_reader_that_is_slow_holds_back_the_upstream(provider: Provider) -> None:
    written = 0

    async def answer(request: web.Request) -> web.StreamResponse:
        nonlocal written
        out = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await out.prepare(request)
        for _ in range(1000):
            await out.write(b"x" * 65_536)
            written += 65_536
        return out

    provider.answer = answer
    with behind(provider) as proxy, dial(proxy.url, "/v1/messages", RAW) as line:
        line.recv(1000)
        before = -1
        while before != written:
            before = written
            time.sleep(0.3)
        assert written < 32 * 1024 * 1024
        total = len(read_until_end(line))
    assert total > 1000 * 65_536
    assert written == 1000 * 65_536


def read_until_end(line: socket.socket) -> bytearray:
    got = bytearray()
    while not got.endswith(b"\r\n0\r\n\r\n"):
        got += line.recv(1 << 20)
    return got


def test_a_body_that_is_no_request_passes_unchanged(provider: Provider) -> None:
    raws = [b"", b"{", b"[]", b"null", b'{"messages": 5, "tools": [1]}', b"\xff", b"{}" * 9]
    paths = ["/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1beta/models/g:generateContent"]
    with behind(provider) as proxy:
        for raw in raws:
            for path in paths:
                assert call(proxy.url, "POST", path, raw).status == 200
    assert [asked.body for asked in provider.asked] == [raw for raw in raws for _ in paths]


def test_a_fault_of_prunus_sends_the_original_is_counted_and_logged_once(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(tenant, "read_envelope", broken)
    with behind(provider) as proxy:
        for _ in range(3):
            assert call(proxy.url, "POST", "/v1/messages", RAW).status == 200
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert [asked.body for asked in provider.asked] == [RAW] * 3
    assert 'prunus_faults_total{where="proxy"} 3.0' in metrics
    assert len([record for record in caplog.records if "a bug" in record.getMessage()]) == 1


def test_a_bug_in_a_strategy_sends_the_original(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    from prunus.strategies.stale_reads import StaleReads

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(StaleReads, "propose", broken)
    with behind(provider) as proxy:
        assert call(proxy.url, "POST", "/v1/messages", RAW).status == 200
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert provider.asked[0].body == RAW
    assert 'prunus_faults_total{where="pruning"} 1.0' in metrics


def test_a_pruned_request_that_is_refused_is_sent_again_as_it_came(provider: Provider) -> None:
    async def picky(request: web.Request) -> web.StreamResponse:
        whole = await request.read() == RAW
        return web.json_response({"whole": whole}, status=200 if whole else 400)

    provider.answer = picky
    events: list[Any] = []
    with behind(provider, watch=events) as proxy:
        got = call(proxy.url, "POST", "/v1/messages", RAW)
        again = call(proxy.url, "POST", "/v1/messages", RAW)
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert (got.status, json.loads(got.body)) == (again.status, json.loads(again.body)) == (200, {"whole": True})
    assert [asked.body == RAW for asked in provider.asked] == [False, True, True]
    assert [event.what for event in events] == ["shadow", "shadow"]
    assert 'prunus_faults_total{where="provider"} 1.0' in metrics


def test_a_request_that_is_refused_either_way_is_the_clients(provider: Provider) -> None:
    async def never(request: web.Request) -> web.StreamResponse:
        return web.json_response({"error": {"message": "no"}}, status=400)

    provider.answer = never
    with behind(provider) as proxy:
        got = call(proxy.url, "POST", "/v1/messages", RAW)
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert (got.status, got.body) == (400, b'{"error": {"message": "no"}}')
    assert 'where="provider"' not in metrics
