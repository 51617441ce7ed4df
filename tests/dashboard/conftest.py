"""A proxy whose store holds some days with agents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from prunus.proxy.serve import Background
from prunus.store import Store, open_store
from tests.dashboard.sample import fill
from tests.proxy.caller import Answered, call
from tests.proxy.provider import Provider, behind


@dataclass(frozen=True, slots=True)
class Site:
    """A running proxy with its store, as a browser meets it."""

    proxy: Background
    store: Store
    ids: list[str]

    @property
    def host(self) -> str:
        return self.proxy.url.removeprefix("http://")

    def get(self, path: str, *headers: tuple[str, str]) -> Answered:
        return call(self.proxy.url, "GET", path, headers=[("accept", "text/html"), *headers])

    def post(self, path: str, *headers: tuple[str, str]) -> Answered:
        return call(self.proxy.url, "POST", path, b"", [("accept", "text/html"), *headers])


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    yield opened
    opened.close()


@pytest.fixture
def site(provider: Provider, store: Store, tmp_path: Path) -> Iterator[Site]:
    ids = fill(store, conversations=2, requests=42)
    with behind(provider, store={"url": f"sqlite:///{tmp_path / 'store.db'}"}) as proxy:
        yield Site(proxy, store, ids)
