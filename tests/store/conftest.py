"""A store in the directory of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prunus.store import Store, open_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "prunus.db"


@pytest.fixture
def reopen(path: Path) -> Iterator[Callable[..., Store]]:
    """Open the store of the test as another process would."""
    opened: list[Store] = []

    def again(**options: object) -> Store:
        store = open_store(f"sqlite:///{path}", **options)  # type: ignore[arg-type]
        opened.append(store)
        return store

    yield again
    for store in opened:
        store.close()


@pytest.fixture
def store(reopen: Callable[..., Store]) -> Store:
    return reopen()
