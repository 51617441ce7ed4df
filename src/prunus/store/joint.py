"""Several changes of one thread as one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import local
from typing import Protocol

from prunus.errors import Overtaken
from prunus.store.sql import SqlConnection, no_news
from prunus.store.store import Unavailable


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the database."""

    work: Callable[[SqlConnection], None]
    names: tuple[str, ...]
    """The names that its transaction holds; see `SqlDatabase.write`."""
    committed: Callable[[], None]
    """Called after the commit."""


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

    def change(
        self, work: Callable[[SqlConnection], None], *names: str, committed: Callable[[], None] = no_news
    ) -> None:
        """Run a callback in its own transaction, or inside `together` in the joint transaction at its end."""
        change = Change(work, names, committed)
        if self._collected.changes is None:
            self._write_one(change)
        else:
            self._collected.changes.append(change)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit the changes of this thread as one transaction at the end of the block.

        If the store refuses one of the changes, each gets its own transaction, and the first error is raised. If
        the store cannot be used at all, or after Overtaken, none of them is tried again.
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
            for change in changes:
                change.work(connection)

        # A change without names runs alone, and so does a joint transaction that contains it.
        alone = any(not change.names for change in changes)
        together = () if alone else sorted({name for change in changes for name in change.names})
        try:
            if changes:
                self._write(write, *together)
        except (Overtaken, Unavailable):
            raise
        except Exception:
            if len(changes) == 1:
                raise
            self._write_singly(changes)
            return
        for change in changes:
            change.committed()

    def _write_singly(self, changes: Sequence[Change]) -> None:
        faults = []
        for change in changes:
            try:
                self._write_one(change)
            except Exception as error:
                faults.append(error)
        if faults:
            raise faults[0] from None

    def _write_one(self, change: Change) -> None:
        self._write(change.work, *change.names)
        change.committed()
