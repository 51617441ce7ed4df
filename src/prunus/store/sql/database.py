"""What the stores need of a SQL database. SQLite and Postgres provide it, so that both share their statements.

Statements use only what both dialects understand, with `?` for a value. Flags are numbers (0 or 1), because SQLite
has no booleans. In `ON CONFLICT ... DO UPDATE` the columns of the stored row need the name of their table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from threading import local
from typing import Any, Final, Protocol, TypeVar

from prunus.errors import Overtaken, TooLate
from prunus.store.records import Info
from prunus.store.store import Unavailable

T = TypeVar("T")

NO_LIMIT: Final = 2**62
"""The limit of a query for all rows."""


class SqlRows(Protocol):
    """The result of a statement."""

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

    def ask(self, statement: str, values: Sequence[Any] = ..., /) -> Callable[[], list[Any]]:
        """Run a statement, and return a function that returns its rows.

        Who asks several times before the first call of such a function waits once for a server, not each time.
        """

    def require(self, statement: str, values: Sequence[Any] = ..., /) -> None:
        """Run a statement that has to return a row. If it returns none, the transaction fails with Outdated.

        A server need not answer before the next statement: the error may come with one of its later answers.
        """


class Outdated(Exception):
    """A transaction relied on a row that is no longer as this process has seen it; nothing was written."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One change of the database."""

    work: Callable[[SqlConnection], None]
    names: tuple[str, ...]
    committed: Callable[[], None]
    """Called after the commit."""
    outdated: Callable[[], None]
    """Called after Outdated; forgets what the change relied on."""


class _Collected(local):
    """The changes that one thread collects for a joint transaction."""

    changes: list[_Change] | None = None


class SqlDatabase(ABC):
    """Runs callbacks with a connection, and turns every failure into a StoreError."""

    shared: bool
    """Whether several processes share the database, so that others may go on with a conversation of this one."""
    remote: bool
    """Whether a server has to answer, so that a request should wait for as few answers as possible."""

    def __init__(self, place: str) -> None:
        self.place = place
        """The address of the database, as people may see it."""
        self.hurry: Callable[[], AbstractContextManager[None]] = nullcontext
        """See `Store.hurry`."""
        self._collected = _Collected()

    def open(self) -> None:
        """Connect, and bring the tables up to date, so that the first request does not wait for that."""
        self.read(lambda _: None)

    @abstractmethod
    def read(self, work: Callable[[SqlConnection], T]) -> T:
        """Run a callback that changes nothing, and return its result."""

    @abstractmethod
    def snapshot(self, *queries: tuple[str, Sequence[Any]]) -> list[list[Any]]:
        """Return the rows of some queries, each with its values, which all see the same state."""

    @abstractmethod
    def report(self, work: Callable[[SqlConnection], T]) -> T:
        """Run a callback that changes nothing and that no request waits for, so that it may take longer."""

    @abstractmethod
    def write(self, work: Callable[[SqlConnection], T], *names: str) -> T:
        """Run a callback in one transaction, and return its result after the commit; a failure rolls back.

        Two writes that share a name never run at the same time, in any process. A write without names runs alone.
        `write_name` makes names.
        """

    @abstractmethod
    def used(self, removed: int = 0) -> int:
        """Return the bytes that count towards the size limit, after `removed` bytes of contents were removed."""

    @abstractmethod
    def space(self, connection: SqlConnection) -> Info:
        """Return the address of the database, the number of applied migrations, and the size on disk."""

    @abstractmethod
    def checkpoint(self) -> None:
        """Do the upkeep that a running store needs from time to time."""

    @abstractmethod
    def shrink(self) -> None:
        """Return some unused space to the disk, if there is much and if that is quick."""

    @abstractmethod
    def scrub(self) -> None:
        """Remove the bytes of removed rows, if that stops nobody for long."""

    @abstractmethod
    def compact(self) -> None:
        """Return all unused space to the disk."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections."""

    def change(
        self,
        work: Callable[[SqlConnection], None],
        *names: str,
        committed: Callable[[], None] = lambda: None,
        outdated: Callable[[], None] = lambda: None,
    ) -> None:
        """Run a callback in its own transaction, or inside `together` in the joint transaction at its end.

        After the commit it calls `committed`. If the transaction fails with Outdated, it calls `outdated`, and runs
        the callback once more.
        """
        change = _Change(work, names, committed, outdated)
        if self._collected.changes is None:
            self._write_all([change])
        else:
            self._collected.changes.append(change)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit the changes of this thread as one transaction at the end of the block.

        If the store refuses one of the changes, each gets its own transaction, and the first error is raised. If
        the store cannot be used at all, or after Overtaken or TooLate, none of them is tried again.
        """
        changes: list[_Change] = []
        self._collected.changes = changes
        try:
            yield
        finally:
            self._collected.changes = None
            self._write_all(changes)

    def _write_all(self, changes: Sequence[_Change]) -> None:
        """Write changes in one transaction, or each in its own if the store refuses one of them."""

        def write(connection: SqlConnection) -> None:
            for change in changes:
                change.work(connection)

        names = {name for change in changes for name in change.names}
        try:
            try:
                self.write(write, *names)
            except Outdated:
                for change in changes:
                    change.outdated()
                self.write(write, *names)
        except (Overtaken, TooLate, Unavailable):
            raise
        except Exception:
            if len(changes) == 1:
                raise
        else:
            for change in changes:
                change.committed()
            return
        faults = []
        for change in changes:
            try:
                self._write_all([change])
            except Exception as error:
                faults.append(error)
        if faults:
            raise faults[0]


def write_name(kind: str, tenant: str, id: str) -> str:
    """Return the name that writes share which change the same thing, such as one conversation."""
    return f"{kind} {tenant!r} {id}"
