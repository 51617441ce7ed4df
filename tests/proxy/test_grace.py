"""The end of a proxy: running answers finish, new connections are refused, a second signal cuts all."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from tests.proxy.caller import PATIENCE, dial
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import body

RAW = body("anthropic_messages")
OLD_GRACE = 5
"""Seconds after which streams were once cut."""
workers = pytest.mark.parametrize("count", [1, 2])

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")


class Held(Provider):
    """Streams a first event, and the last one once it is released."""

    def __init__(self) -> None:
        super().__init__()
        self._release = asyncio.Event()
        self.answer = self._stream

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        out = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await out.prepare(request)
        await out.write(b"data: first\n\n")
        await self._release.wait()
        await out.write(b"data: last\n\n")
        return out

    def release(self) -> None:
        self._loop.call_soon_threadsafe(self._release.set)


@pytest.fixture
def held() -> Iterator[Held]:
    with Held() as running:
        yield running


@contextmanager
def proxy(held: Provider, count: int, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A real proxy with that many workers, in a session of its own as a terminal would start it."""
    options = ["--port", "0", "--store", "off", "--upstream", f"anthropic={held.url}", *more]
    process = subprocess.Popen(
        [sys.executable, "-m", "prunus", "proxy", *options, "--set", f"proxy.workers={count}"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        yield process, process.stderr.readline().split()[-1]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def read_until(line: socket.socket, end: bytes) -> bytes:
    got = b""
    while end not in got and (piece := line.recv(65_536)):
        got += piece
    return got


def wait_until_refused(url: str) -> None:
    place = urlsplit(url)
    while True:
        try:
            socket.create_connection((place.hostname or "", place.port or 0), timeout=PATIENCE).close()
        except ConnectionRefusedError:
            return
        time.sleep(0.02)


@workers
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_running_stream_is_finished(held: Held, count: int, number: signal.Signals) -> None:
    with proxy(held, count) as (process, url), dial(url, "/v1/messages", RAW) as line:
        assert b"first" in read_until(line, b"first\n\n")
        os.killpg(process.pid, number)  # as a terminal or a service manager does: to all processes
        wait_until_refused(url)
        held.release()
        assert read_until(line, b"0\r\n\r\n").endswith(b"data: last\n\n\r\n0\r\n\r\n")
        process.wait(PATIENCE)


def test_a_stream_may_take_longer_than_a_few_seconds(held: Held) -> None:
    with proxy(held, 1) as (process, url), dial(url, "/v1/messages", RAW) as line:
        read_until(line, b"first\n\n")
        process.terminate()
        time.sleep(OLD_GRACE + 1)
        held.release()
        assert read_until(line, b"0\r\n\r\n").endswith(b"data: last\n\n\r\n0\r\n\r\n")
        process.wait(PATIENCE)


@workers
def test_a_second_signal_cuts_the_stream(held: Held, count: int) -> None:
    with proxy(held, count) as (process, url), dial(url, "/v1/messages", RAW) as line:
        read_until(line, b"first\n\n")
        process.terminate()
        wait_until_refused(url)
        process.terminate()
        assert b"0\r\n\r\n" not in read_until(line, b"0\r\n\r\n")
        process.wait(PATIENCE)


@workers
def test_the_stream_is_cut_when_the_grace_is_over(held: Held, count: int) -> None:
    with proxy(held, count, "--set", "proxy.grace=0.2") as (process, url), dial(url, "/v1/messages", RAW) as line:
        read_until(line, b"first\n\n")
        process.terminate()
        assert b"0\r\n\r\n" not in read_until(line, b"0\r\n\r\n")
        process.wait(PATIENCE)


def test_a_request_without_an_answer_is_reported(provider: Provider) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        asked.set()
        await asyncio.sleep(60)
        return web.Response()

    asked = threading.Event()
    provider.answer = answer
    with behind(provider, proxy={"grace": 0}) as proxy:
        line = dial(proxy.url, "/v1/messages", RAW)
        assert asked.wait(PATIENCE)
    with line:
        got = read_until(line, b"stopped")
    assert got.startswith(b"HTTP/1.1 503 ")
    assert b'"type":"error"' in got


def test_workers_do_not_outlive_their_supervisor(held: Held) -> None:
    with proxy(held, 2) as (process, url):
        process.kill()
        wait_until_refused(url)


def test_a_proxy_in_the_background_waits_for_its_streams(held: Held) -> None:
    with behind(held) as proxy:
        line = dial(proxy.url, "/v1/messages", RAW)
        read_until(line, b"first\n\n")
        threading.Timer(0.3, held.release).start()
    with line:
        assert read_until(line, b"0\r\n\r\n").endswith(b"data: last\n\n\r\n0\r\n\r\n")
