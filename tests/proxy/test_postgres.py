"""Proxies that share a Postgres server send what one proxy would send, also when the server fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from prunus.proxy.app import App
from prunus.proxy.exchange import Event
from prunus.proxy.serve import Background
from prunus.settings import Settings
from prunus.store import open_store
from tests.proxy.breaks import undeclared
from tests.proxy.provider import Provider, behind
from tests.proxy.test_store_faults import play, sent_without_a_store
from tests.store.postgres_server import PostgresServer, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@contextmanager
def stopped(server: PostgresServer) -> Iterator[None]:
    server.stop("immediate")
    yield
    server.start()


@contextmanager
def killed(server: PostgresServer) -> Iterator[None]:
    server.kill()
    yield
    server.start()


def patient(provider: Provider, url: str, preset: str) -> Background:
    """A proxy whose store may take its time, so that no test depends on the speed of the machine."""
    proxy = {"port": 0, "deadline": 600.0}
    settings = Settings(
        preset=preset,
        proxy=proxy,
        store={"url": url},
        upstreams={"anthropic": provider.url},
        agent={"offer": "off"},
    )
    return Background(settings, make=lambda: App(settings, open_store(url, settings, wait=30.0)))


@pytest.mark.parametrize("preset", ["acp", "auto"])
def test_three_proxies_send_the_same_bytes_as_one(
    provider: Provider, postgres: PostgresServer, preset: str
) -> None:
    with ExitStack() as stack:
        proxies = [stack.enter_context(patient(provider, postgres.url(), preset)) for _ in range(3)]
        for n in range(2, 12):
            assert play(proxies[n * n % 3].url, n, n + 1) == [200]
    assert [asked.body for asked in provider.asked] == sent_without_a_store(range(2, 12), preset)


@pytest.mark.parametrize("outage", [stopped, killed, PostgresServer.frozen])
def test_requests_pass_while_the_server_is_away(
    provider: Provider, postgres: PostgresServer, outage: Callable[[PostgresServer], Any]
) -> None:
    events: list[Event] = []
    with behind(provider, watch=events, store={"url": postgres.url()}) as proxy:
        assert play(proxy.url, 2, 4) == [200] * 2
        with outage(postgres):
            assert play(proxy.url, 4, 7) == [200] * 3
        assert play(proxy.url, 7, 9) == [200] * 2
    assert undeclared([asked.body for asked in provider.asked], events) == []
