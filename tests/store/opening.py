"""Stores that are closed at the end of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prunus.store import Store, open_store


@contextmanager
def opening(url: str, **usual: object) -> Iterator[Callable[..., Store]]:
    """Yield a function that opens a store as another process would, with these options unless it gets others."""
    opened: list[Store] = []

    def again(**options: object) -> Store:
        store = open_store(url, **{**usual, **options})  # type: ignore[arg-type]
        opened.append(store)
        return store

    yield again
    for store in opened:
        store.close()
