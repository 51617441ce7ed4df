"""Proxies that share a Postgres server send what one proxy would send, also when the server fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.proxy.provider import Provider, behind
from tests.proxy.test_store_faults import play, sent_without_a_store
from tests.store.postgres_server import PostgresServer, missing, running

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with running() as server:
        yield server


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


def test_three_proxies_send_the_same_bytes_as_one(provider: Provider, server: PostgresServer) -> None:
    with ExitStack() as stack:
        proxies = [stack.enter_context(behind(provider, store={"url": server.url()})) for _ in range(3)]
        for n in range(2, 12):
            assert play(proxies[n * n % 3].url, n, n + 1) == [200]
    assert [asked.body for asked in provider.asked] == sent_without_a_store(range(2, 12))


@pytest.mark.parametrize("outage", [stopped, killed, PostgresServer.frozen])
def test_requests_pass_while_the_server_is_away(
    provider: Provider, server: PostgresServer, outage: Callable[[PostgresServer], object]
) -> None:
    with behind(provider, store={"url": server.url()}) as proxy:
        assert play(proxy.url, 2, 4) == [200] * 2
        with outage(server):  # type: ignore[attr-defined]
            assert play(proxy.url, 4, 7) == [200] * 3
        assert play(proxy.url, 7, 9) == [200] * 2
    assert [asked.body for asked in provider.asked] == sent_without_a_store(range(2, 9))
