"""Hypothesis profiles, and a Postgres server that all tests share.

The profile "ci" gives the same examples on every run, "dev" looks further. Choose the second with `pytest
--hypothesis-profile=dev`. Neither looks at how long an example takes: no test may depend on the speed of the
machine.
"""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.store.postgres_server import PostgresServer, missing, running

_ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("ci", derandomize=True, max_examples=25, **_ANY_SPEED)
settings.register_profile("dev", max_examples=300, **_ANY_SPEED)
settings.load_profile("ci")


@pytest.fixture(scope="session")
def _postgres_server() -> Iterator[PostgresServer]:
    with running() as server:
        yield server


@pytest.fixture
def postgres(request: pytest.FixtureRequest) -> PostgresServer:
    """A Postgres server without a store. It is started again if the test before stopped it."""
    if missing():
        pytest.skip(missing())
    server: PostgresServer = request.getfixturevalue("_postgres_server")
    server.ensure_running()
    server.empty()
    return server
