"""The store of a test. A test runs once for each kind of store, unless it looks at the file of the SQLite store.

A test with the mark `receipts` reads receipts, exchanges, originals or totals, which the Redis store does not keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prunus.store import Store
from tests.store import redis_server
from tests.store.opening import opening
from tests.store.postgres_server import PostgresServer
from tests.store.redis_server import RedisServer


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "receipts: needs a store that keeps receipts, so not Redis")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store_url" in metafunc.fixturenames:
        kinds = ["sqlite"]
        if "path" not in metafunc.fixturenames:
            kinds.append("postgres")
            if not list(metafunc.definition.iter_markers("receipts")):
                kinds.append("redis")
        metafunc.parametrize("store_url", kinds, indirect=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "prunus.db"


@pytest.fixture
def server(postgres: PostgresServer) -> PostgresServer:
    return postgres


@pytest.fixture(scope="session")
def _redis() -> Iterator[RedisServer]:
    with redis_server.running() as server:
        yield server


@pytest.fixture
def redis(request: pytest.FixtureRequest) -> RedisServer:
    """An empty Redis server. It is started again if the test before stopped it."""
    if redis_server.missing():
        pytest.skip(redis_server.missing())
    server: RedisServer = request.getfixturevalue("_redis")
    server.ensure_running()
    with server.client() as client:
        client.flushall()
    return server


@pytest.fixture
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of the store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'data' / 'prunus.db'}"
    if request.param == "redis":
        redis: RedisServer = request.getfixturevalue("redis")
        return redis.url
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.url()


@pytest.fixture
def reopen(store_url: str) -> Iterator[Callable[..., Store]]:
    """Open the store of the test as another process would."""
    with opening(store_url, **({} if store_url.startswith("sqlite:") else {"wait": 30.0})) as again:
        yield again


@pytest.fixture
def store(reopen: Callable[..., Store]) -> Store:
    return reopen()
