"""Tests of what is in `packages` run only when asked for with `-m packages`: `make packages`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.on_request import leave_out
from tests.packages.npm import NodeMissing, install_packages, pack

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "packages: packages and SDKs with real programs; `make packages` runs them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    leave_out(config, items, HERE, "packages")


@pytest.fixture(scope="session")
def node() -> str:
    """Node, with what the tests of the npm packages need; skips where it is not installed."""
    try:
        return install_packages()
    except NodeMissing as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def packed(node: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of each npm package as users get it: with the files that would be published."""
    return pack(tmp_path_factory.mktemp("packed"))
