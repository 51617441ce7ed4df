"""Several changes of one thread as one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import local
from typing import Protocol

from prunus.store.sql import SqlConnection

Change = tuple[Callable[[SqlConnection], None], tuple[str, ...]]
"""A callback, and the names that its transaction holds; see `SqlDatabase.write`."""


class _Write(Protocol):
    def __call__(self, work: Callable[[SqlConnection], None], *names: str) -> None: ...


class _Collected(local):
    """The changes that one thread collects for a joint transaction."""

    changes: list[Change] | None = None


class JointWrites:
    """Collects the changes that a thread makes inside `together`."""

    def __init__(self, write: _Write) -> None:
        self._write = write
        self._collected = _Collected()

    def change(self, work: Callable[[SqlConnection], None], *names: str) -> None:
        """Run a callback in its own transaction, or inside `together` in the joint transaction at its end."""
        if self._collected.changes is None:
            self._write(work, *names)
        else:
            self._collected.changes.append((work, names))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit the changes of this thread as one transaction at the end of the block.

        If the joint transaction fails, each change gets its own transaction, and the first error is raised.
        """
        changes: list[Change] = []
        self._collected.changes = changes
        try:
            yield
        finally:
            self._collected.changes = None
            self._write_all(changes)

    def _write_all(self, changes: Sequence[Change]) -> None:
        def write(connection: SqlConnection) -> None:
            for work, _ in changes:
                work(connection)

        # A change without names runs alone, and so does a joint transaction that contains it.
        alone = any(not names for _, names in changes)
        together = () if alone else sorted({name for _, names in changes for name in names})
        try:
            if changes:
                self._write(write, *together)
        except Exception:
            if len(changes) == 1:
                raise
            faults = []
            for work, names in changes:
                try:
                    self._write(work, *names)
                except Exception as error:
                    faults.append(error)
            if faults:
                raise faults[0] from None
