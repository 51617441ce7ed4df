"""The answers to a load balancer while a proxy runs, and while it ends."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.proxy.caller import PATIENCE, call, dial
from tests.proxy.provider import Provider, behind
from tests.proxy.test_grace import RAW, Held, held, proxy, read_until, wait_until_refused, workers

__all__ = ["held"]


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz"])
def test_a_running_proxy_is_alive_and_ready_without_a_token(provider: Provider, path: str) -> None:
    with behind(provider, proxy={"token": "secret"}) as running:
        got = call(running.url, "GET", path)
    assert (got.status, json.loads(got.body)["status"]) == (200, "ok")


def test_a_web_page_may_not_ask(provider: Provider) -> None:
    with behind(provider) as running:
        assert call(running.url, "GET", "/readyz", headers=[("sec-fetch-site", "cross-site")]).status == 403


def test_an_unreachable_store_does_not_make_a_proxy_unready(provider: Provider) -> None:
    with behind(provider, store={"url": "postgresql://nobody@127.0.0.1:1/none"}) as running:
        assert call(running.url, "GET", "/readyz").status == 200


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")
@workers
def test_a_proxy_that_drains_is_alive_and_not_ready_and_still_answers(held: Held, count: int) -> None:
    with proxy(held, count, "--set", "proxy.drain=600") as (process, url):
        process.terminate()
        while call(url, "GET", "/readyz").status != 503:
            pass
        got = call(url, "GET", "/livez")
        assert (got.status, json.loads(got.body)["status"]) == (200, "draining")
        held.release()
        answer = call(url, "POST", "/v1/messages", RAW)
        assert b"last" in answer.body and answer.header("connection") == "close"
        process.terminate()  # a second signal ends the draining
        wait_until_refused(url)
        process.wait(PATIENCE)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")
def test_the_port_closes_after_draining_and_streams_finish(held: Held) -> None:
    with proxy(held, 1, "--set", "proxy.drain=0.5") as (process, url), dial(url, "/v1/messages", RAW) as line:
        read_until(line, b"first\n\n")
        process.terminate()
        wait_until_refused(url)
        held.release()
        assert read_until(line, b"0\r\n\r\n").endswith(b"data: last\n\n\r\n0\r\n\r\n")
        process.wait(PATIENCE)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")
@workers
def test_each_connection_that_is_made_before_the_port_closes_is_answered(provider: Provider, count: int) -> None:
    with proxy(provider, count, "--set", "proxy.drain=0.5") as (process, url):
        process.terminate()
        with ThreadPoolExecutor(8) as callers:
            answers = list(callers.map(answers_until_refused, [url] * 8))
        process.wait(PATIENCE)
    assert {answer[:12] for some in answers for answer in some} == {b"HTTP/1.1 200"}


def answers_until_refused(url: str) -> list[bytes]:
    """The answers to one request after another, each on a connection of its own, until the port is closed."""
    found = []
    while True:
        try:
            line = dial(url, "/v1/messages", RAW)
        except ConnectionRefusedError:
            return found
        with line:
            found.append(read_until(line, b"}"))
