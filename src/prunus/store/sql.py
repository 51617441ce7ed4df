"""The interface of a SQL database. SQLite and Postgres implement it, so that both stores share their statements.

Statements use only what both dialects understand, with `?` for a value. Flags are numbers (0 or 1), because SQLite
has no booleans. In `ON CONFLICT ... DO UPDATE` the columns of the stored row need the name of their table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

T = TypeVar("T")

NO_LIMIT: Final = 2**62
"""The limit of a query for all rows."""


def no_news() -> None:
    """Nobody waits for the commit, see `SqlDatabase.change`."""


class SqlRows(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int:
        """The number of rows that the statement changed."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows."""

    def __iter__(self) -> Iterator[Any]: ...


class SqlConnection(Protocol):
    """Runs statements, inside a transaction or each on its own."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> SqlRows:
        """Run a statement with these values."""

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run a statement once for each row of values."""


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """Where a database is, and the bytes that it takes on disk."""

    url: str
    version: int
    """The number of applied migrations."""
    size: int
    free: int
    """Bytes that are not in use, and that `compact` returns to the disk."""


class SqlDatabase(Protocol):
    """Runs callbacks with a connection, and turns every failure into a StoreError."""

    def read(self, work: Callable[[SqlConnection], T]) -> T:
        """Run a callback that changes nothing, and return its result."""

    def snapshot(self, work: Callable[[SqlConnection], T]) -> T:
        """Run a callback that changes nothing; all its statements see the same state."""

    def report(self, work: Callable[[SqlConnection], T]) -> T:
        """Run a callback that changes nothing and that no request waits for, so that it may take longer."""

    def write(self, work: Callable[[SqlConnection], T], *names: str) -> T:
        """Run a callback in one transaction, and return its result after the commit; a failure rolls back.

        Two writes that share a name never run at the same time. A write without names runs alone.
        """

    def change(
        self, work: Callable[[SqlConnection], None], *names: str, committed: Callable[[], None] = no_news
    ) -> None:
        """Run a callback in its own transaction, or inside `together` in the joint transaction at its end.

        After the commit it calls `committed`.
        """

    def together(self) -> AbstractContextManager[None]:
        """Commit the changes of this thread as one transaction at the end of the block."""

    @property
    def shared(self) -> bool:
        """Whether replicas on several hosts share the database, so that others may use it while this one cannot."""

    def used(self, removed: int = 0) -> int:
        """Return the bytes that count towards the size limit, after `removed` bytes of contents were removed."""

    def space(self, connection: SqlConnection) -> DiskSpace:
        """Return where the database is, and its size on disk."""

    def checkpoint(self) -> None:
        """Do the upkeep that a running store needs from time to time."""

    def shrink(self) -> None:
        """Return some unused space to the disk, if there is much and if that is quick."""

    def compact(self) -> None:
        """Return all unused space to the disk."""

    def scrub(self) -> None:
        """Remove the bytes of removed rows, if that does not stop others for long."""

    def close(self) -> None:
        """Close the connections."""
