"""Requests that Prunus does not prune pass as if there were no proxy."""

import asyncio
import gzip
import json
import socket
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import zstandard
from aiohttp import web

from tests.proxy.caller import call, dial
from tests.proxy.provider import Provider, behind, sse
from tests.proxy.talk import BODIES, PATHS, TEXT, body, steps

TITLE = b'{"model": "m",  "messages": [ {"role":"user","content":"A title?"} ]}'


def test_an_unknown_path_arrives_as_it_was_sent(provider: Provider) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=418, body=b"\x00\xff short", headers={"x-odd": "1", "retry-after": "7"})

    provider.answer = answer
    with behind(provider) as proxy:
        got = call(proxy.url, "PUT", "/v1/files/a%2Fb//c?x=1&x=2&y=%20", b"\xff\x00bytes", [("x-mine", "Yes")])
    [asked] = provider.asked
    assert (asked.method, asked.target, asked.body) == ("PUT", "/v1/files/a%2Fb//c?x=1&x=2&y=%20", b"\xff\x00bytes")
    assert asked.header("x-mine") == "Yes"
    assert (got.status, got.body) == (418, b"\x00\xff short")
    assert (got.header("x-odd"), got.header("retry-after")) == ("1", "7")


def test_nothing_is_added_and_only_hop_by_hop_headers_go(provider: Provider) -> None:
    sent = [
        ("x-api-key", "k"), ("anthropic-beta", "a,b"), ("x-twice", "1"), ("x-twice", "2"), ("te", "trailers"),
        ("connection", "keep-alive, x-private"), ("x-private", "1"), ("x-prunus-debug", "1"), ("accept", "a/b"),
        ("content-type", "application/json"), ("accept-encoding", "gzip, br, zstd"), ("user-agent", "me/1"),
    ]  # fmt: skip
    with behind(provider) as proxy:
        call(proxy.url, "POST", "/v1/other", b"{}", sent)
    got = {(name.decode().lower(), value.decode()) for name, value in provider.asked[0].headers}
    gone = {"te", "connection", "x-private", "x-prunus-debug"}
    expected = {(name, value) for name, value in sent if name not in gone}
    assert got == expected | {("host", provider.url.removeprefix("http://")), ("content-length", "2")}


def test_headers_of_the_answer_arrive_as_the_provider_sent_them(provider: Provider) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.Response(body=b"x", headers={"request-id": "r1", "anthropic-ratelimit-x": "9"})
        response.headers.add("set-cookie", "a=1")
        response.headers.add("set-cookie", "b=2")
        response.headers["access-control-allow-origin"] = "*"
        return response

    provider.answer = answer
    with behind(provider) as proxy:
        first = call(proxy.url, "GET", "/v1/models")
        call(proxy.url, "GET", "/v1/models")
    assert first.header("request-id") == "r1"
    assert first.header("anthropic-ratelimit-x") == "9"
    assert [value for name, value in first.headers if name == "set-cookie"] == ["a=1", "b=2"]
    assert first.header("access-control-allow-origin") is None
    assert first.header("server") == "Python/3.11 aiohttp" or "uvicorn" not in (first.header("server") or "")
    assert provider.asked[1].header("cookie") is None


def test_a_head_probe_has_no_body(provider: Provider) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(headers={"content-length": "123"})

    provider.answer = answer
    with behind(provider) as proxy:
        got = call(proxy.url, "HEAD", "/api/hello")
    assert (got.status, got.body, got.header("content-length")) == (200, b"", "123")


def test_a_redirect_is_handed_on(provider: Provider) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=307, headers={"location": "http://elsewhere.example/"})

    provider.answer = answer
    with behind(provider) as proxy:
        got = call(proxy.url, "GET", "/v1/models")
    assert (got.status, got.header("location"), len(provider.asked)) == (307, "http://elsewhere.example/", 1)


def test_a_websocket_upgrade_is_answered_with_use_http(provider: Provider) -> None:
    upgrade = [("connection", "Upgrade"), ("upgrade", "websocket"), ("sec-websocket-key", "x")]
    with behind(provider) as proxy:
        assert call(proxy.url, "GET", "/v1/responses", headers=upgrade).status == 426
    assert provider.asked == []


@pytest.mark.parametrize("target", ["http://evil.example/v1/models", "//evil.example/v1/models"])
def test_the_request_never_chooses_a_host(provider: Provider, target: str) -> None:
    with behind(provider) as proxy:
        call(proxy.url, "GET", target)
        place = proxy.url.removeprefix("http://").split(":")
        with socket.create_connection((place[0], int(place[1])), timeout=10) as line:
            line.sendall(b"GET @evil.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert line.recv(100).startswith(b"HTTP/1.1 400")
    for asked in provider.asked:
        assert asked.header("host") == provider.url.removeprefix("http://")


def test_an_upstream_that_is_not_configured_is_not_there(provider: Provider) -> None:
    with behind(provider) as proxy:
        assert call(proxy.url, "POST", "/@evil.example/v1/messages", b"{}").status == 404
    assert provider.asked == []


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions", "/chat/completions?beta=true"])
def test_a_request_without_tools_keeps_its_bytes(provider: Provider, path: str) -> None:
    with behind(provider) as proxy:
        assert call(proxy.url, "POST", path, TITLE).status == 200
    assert provider.asked[0].body == TITLE
    assert provider.asked[0].target == (path if path.startswith("/v1") else "/v1" + path)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_packed_request_is_unpacked_only_when_it_changes(provider: Provider, encoding: str) -> None:
    pack = gzip.compress if encoding == "gzip" else zstandard.ZstdCompressor().compress
    headers = [("content-encoding", encoding), ("content-type", "application/json")]
    title = pack(TITLE)
    with behind(provider) as proxy:
        call(proxy.url, "POST", "/v1/messages", title, headers)
        call(proxy.url, "POST", "/v1/messages", pack(body("anthropic_messages")), headers)
    passed, pruned = provider.asked
    assert (passed.body, passed.header("content-encoding")) == (title, encoding)
    assert pruned.header("content-encoding") is None
    assert pruned.header("content-length") == str(len(pruned.body))
    assert len(pruned.body) < len(body("anthropic_messages"))
    assert json.loads(pruned.body)["model"] == "claude-sonnet-4-5"


def test_a_request_in_chunks_without_a_length_is_understood(provider: Provider) -> None:
    raw = body("openai_chat")
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (raw[:100], raw[100:])) + b"0\r\n\r\n"
    with behind(provider) as proxy:
        got = call(proxy.url, "POST", "/v1/chat/completions", pieces, [("transfer-encoding", "chunked")])
        call(proxy.url, "POST", "/v1/files", pieces, [("transfer-encoding", "chunked")])
    assert got.status == 200
    assert json.loads(provider.asked[0].body)["model"] == "gpt-5"
    assert provider.asked[1].body == raw


def test_a_stream_arrives_in_the_pieces_in_which_it_was_sent(provider: Provider) -> None:
    chunks = [b"data: 1\n\n", b"data: {", b"2}\n\n", b": ping\n\n", b"data: [DONE]\n\n"]
    provider.answer = sse(*chunks, pause=0.05)
    got = b""
    with behind(provider) as proxy, dial(proxy.url, "/v1/messages", body("anthropic_messages")) as line:
        while not got.endswith(b"0\r\n\r\n"):
            got += line.recv(65_536)
    head, _, rest = got.partition(b"\r\n\r\n")
    assert b"content-type: text/event-stream" in head.lower()
    assert rest == b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def test_the_first_bytes_do_not_wait_for_the_rest(provider: Provider) -> None:
    release = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        out = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await out.prepare(request)
        await out.write(b"data: first\n\n")
        await release.wait()
        await out.write(b"data: last\n\n")
        return out

    provider.answer = answer
    with behind(provider) as proxy, dial(proxy.url, "/v1/messages", body("anthropic_messages")) as line:
        got = b""
        while b"first" not in got:
            got += line.recv(65_536)
        assert b"last" not in got
        provider._loop.call_soon_threadsafe(release.set)
        while b"last" not in got:
            got += line.recv(65_536)


def test_an_encoded_answer_keeps_its_bytes(provider: Provider) -> None:
    packed = gzip.compress(json.dumps({"usage": {"input_tokens": 5, "output_tokens": 1}}).encode())

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(body=packed, headers={"content-encoding": "gzip", "content-type": "application/json"})

    provider.answer = answer
    events: list[Any] = []
    accept = [("accept-encoding", "gzip, deflate, br, zstd")]
    with behind(provider, watch=events) as proxy:
        got = call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"), accept)
    assert (got.body, got.header("content-encoding")) == (packed, "gzip")
    assert events[0].exchange.usage.input == 5
    assert provider.asked[0].header("accept-encoding") == "gzip, deflate, br, zstd"


def test_every_format_is_pruned_and_reported(provider: Provider) -> None:
    events: list[Any] = []
    with behind(provider, watch=events) as proxy:
        for format in BODIES:
            assert call(proxy.url, "POST", PATHS[format] + "?beta=true", body(format)).status == 200
    for format, asked, event in zip(BODIES, provider.asked, events, strict=True):
        assert asked.target == PATHS[format] + "?beta=true"
        assert len(asked.body) < len(body(format))
        assert event.what == "pruned"
        assert event.exchange.tokens_after < event.exchange.tokens_before
        assert event.exchange.model == ("gemini-2.5-pro" if format == "gemini" else BODIES[format]([])["model"])


def test_the_next_request_extends_the_one_before_unless_a_flush_is_declared(provider: Provider) -> None:
    events: list[Any] = []
    with behind(provider, watch=events, preset="auto", schedule="cache") as proxy:
        for count in range(3, 14):
            more = [("Read", {"file_path": f"/srv/{i}.py"}, f"# {i}\n{TEXT}") for i in range(count)]
            raw = json.dumps(BODIES["openai_chat"](steps() + more)).encode()
            call(proxy.url, "POST", "/v1/chat/completions", raw)
    sent = [asked.body.partition(b'], "tools"')[0] for asked in provider.asked]
    flushes = [event.exchange.flush is not None for event in events]
    extended = [after.startswith(before) for before, after in pairwise(sent)]
    assert all(kept or flushed for kept, flushed in zip(extended, flushes[1:], strict=True))
    assert sum(extended) > len(extended) / 2


def test_shadow_changes_nothing_and_says_what_it_would_have_done(provider: Provider) -> None:
    events: list[Any] = []
    with behind(provider, watch=events, proxy={"shadow": True}) as proxy:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
    assert provider.asked[0].body == body("anthropic_messages")
    assert events[0].what == "shadow"
    assert events[0].exchange.shadow
    assert events[0].exchange.tokens_after < events[0].exchange.tokens_before


def test_edits_of_a_shadow_run_are_not_in_force_in_a_real_run(provider: Provider, tmp_path: Path) -> None:
    store = {"url": f"sqlite:///{tmp_path}/store.db"}
    requests = [body("anthropic_messages", more) for more in (0, 1, 2)]
    with behind(provider, proxy={"shadow": True}, store=store, schedule="eager") as proxy:
        for raw in requests[:2]:
            call(proxy.url, "POST", "/v1/messages", raw)
    events: list[Any] = []
    with behind(provider, watch=events, store=store, schedule="manual") as proxy:
        call(proxy.url, "POST", "/v1/messages", requests[2])
    assert provider.asked[-1].body == requests[2]
    assert events[0].exchange.request == 1


def test_a_body_over_the_limit_streams_through(provider: Provider) -> None:
    raw = body("anthropic_messages", 40)
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (raw[:50_000], raw[50_000:])) + b"0\r\n\r\n"
    with behind(provider, limits={"body": 10_000}) as proxy:
        assert call(proxy.url, "POST", "/v1/messages", raw).status == 200
        assert call(proxy.url, "POST", "/v1/messages", pieces, [("transfer-encoding", "chunked")]).status == 200
    assert [asked.body for asked in provider.asked] == [raw, raw]


def test_fifty_megabytes_pass(provider: Provider) -> None:
    history = [*steps(), ("Read", {"file_path": "big"}, "0123456789" * 5_000_000)]
    raw = json.dumps(BODIES["openai_chat"](history)).encode()
    with behind(provider) as proxy:
        assert call(proxy.url, "POST", "/v1/chat/completions", raw).status == 200
        assert call(proxy.url, "POST", "/v1/files", raw).status == 200
    pruned, passed = provider.asked
    assert len(pruned.body) < len(raw)
    assert json.loads(pruned.body)["messages"][-1] == json.loads(raw)["messages"][-1]
    assert passed.body == raw


def test_a_connection_to_the_provider_is_used_again(provider: Provider) -> None:
    ports = set()

    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        ports.add(request.transport.get_extra_info("peername"))
        return web.json_response({"usage": {"input_tokens": 1}})

    provider.answer = answer
    with behind(provider) as proxy:
        for _ in range(5):
            call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
            call(proxy.url, "GET", "/v1/models")
    assert len(ports) == 1
