"""Access to one SQLite file that many threads and processes share. The file may vanish, fill up or break any time.

The file is in WAL mode with `synchronous=NORMAL`. A commit then writes to the log without an fsync. The operating
system has the pages when the call returns, so a killed process loses no commit. A power failure may lose the newest
commits, but never damages the file. `FULL` would protect these commits too, but would cost an fsync of some
milliseconds per request.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock, local
from typing import Any, Final, TypeVar

from prunus.errors import TooLate
from prunus.store.records import Info
from prunus.store.sql.database import SqlConnection, SqlDatabase
from prunus.store.sql.migrations import MIGRATIONS, Migration
from prunus.store.sqlite.connection import (
    CORRUPT,
    FileConnection,
    begin_writing,
    connect,
    connect_writer,
    describe,
    migrate,
    pragma,
    primary_code,
)
from prunus.store.sqlite.file import SIDECARS, beside, directory_lock, has_our_header, restrict_to_owner
from prunus.store.store import NoStore, StoreError, Unavailable
from prunus.text.printable import printable_logger

T = TypeVar("T")

_LOGGER: Final = printable_logger("prunus.store")
_PAGES: Final = 2_000
"""With more empty pages than this, `shrink` returns this many to the disk at a time."""


class _Patience(local):
    """Whether a thread waits for other writers."""

    hurried = False


class Database(SqlDatabase):
    """Runs callbacks on the file; `SqlDatabase` documents the methods.

    If the file was deleted, the database creates a new one. It renames a damaged file of Prunus, and the log says
    so. It never touches a file of another program; every call then fails. With `existing` it neither
    creates nor renames files: people who look at a store do not want to change it. `own_path` says that the path is
    in the data directory of Prunus, so the file belongs to Prunus whatever it contains. With `shared`, other
    processes use the file too, such as the other workers of a proxy.
    """

    remote = False

    def __init__(
        self,
        path: Path,
        *,
        wait: float = 0.25,
        existing: bool = False,
        own_path: bool = False,
        shared: bool = False,
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> None:
        self.path = path.absolute()
        super().__init__(f"sqlite:///{self.path}")
        self._wait = wait
        self._existing = existing
        self._own_path = own_path
        self.shared = shared
        self._migrations = migrations
        self._free: list[FileConnection] = []
        self._free_writer: list[FileConnection] = []
        """The connection for writes, unless the thread that holds `_writing` uses it."""
        self._file: tuple[int, ...] | None = None
        """The process id and the file that the connections belong to."""
        self._inherited: list[FileConnection] = []
        self._opening = Lock()
        self._writing = Lock()
        self._stuck = False
        self._unopened = False
        """Whether the file was locked at the last attempt to open it. Later ones do not wait until one succeeds."""
        self._patience = _Patience()
        self.hurry = self._hurry

    def read(self, work: Callable[[FileConnection], T]) -> T:
        return self._guarded(lambda: self._with_connection(work, self._free))

    def snapshot(self, *queries: tuple[str, Sequence[Any]]) -> list[list[Any]]:
        def within(connection: FileConnection) -> list[list[Any]]:
            connection.execute("BEGIN")
            found = [connection.execute(*query).fetchall() for query in queries]
            connection.execute("COMMIT")
            return found

        return self.read(within)

    def report(self, work: Callable[[FileConnection], T]) -> T:
        # Readers of SQLite delay nobody, so they may take their time.
        return self.read(work)

    def write(self, work: Callable[[FileConnection], T], *names: str) -> T:
        # SQLite runs one transaction at a time, so `names` makes no difference.
        return self._guarded(lambda: self._write_alone(work))

    @contextmanager
    def _hurry(self) -> Iterator[None]:
        """Begin a block in which this thread waits for no other writer; see `Store.hurry`."""
        if self._writing.locked():
            raise TooLate("another thread writes to the store")
        self._patience.hurried = True
        try:
            yield
        finally:
            self._patience.hurried = False

    def close(self) -> None:
        with self._opening:
            self._drop()

    def problem(self, error: sqlite3.Error | OSError) -> StoreError:
        """Return a StoreError that describes an error in one sentence and names the file."""
        kind = Unavailable if isinstance(error, sqlite3.OperationalError | OSError) else StoreError
        return kind(f"the store {self.path} {describe(error)}")

    def used(self, removed: int = 0) -> int:
        """Return the bytes of the file that are in use."""
        names = ("page_count", "freelist_count", "page_size")
        pages, free, size = self.read(lambda connection: [pragma(connection, name) for name in names])
        return (pages - free) * size

    def space(self, connection: SqlConnection) -> Info:
        """Return the address of the file, and its size with that of its sidecar files."""
        size = 0
        for suffix in ("", *SIDECARS):
            with suppress(FileNotFoundError):
                size += beside(self.path, suffix).stat().st_size
        free = pragma(connection, "freelist_count") * pragma(connection, "page_size")
        return Info(self.place, pragma(connection, "user_version"), size, free)

    def checkpoint(self) -> None:
        """Move the log into the file; other connections may read and write meanwhile."""
        self.read(lambda connection: connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone())

    def shrink(self) -> None:
        """Return empty pages to the disk, if there are many."""
        if self.read(lambda connection: pragma(connection, "freelist_count")) > _PAGES:
            self.read(lambda connection: connection.execute(f"PRAGMA incremental_vacuum({_PAGES})").fetchall())

    def compact(self) -> None:
        """Write the file anew without empty pages and without the bytes of removed rows."""
        self.read(lambda connection: connection.execute("VACUUM"))
        self.read(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())

    scrub = compact

    def _guarded(self, work: Callable[[], T]) -> T:
        for attempt in (1, 2):
            try:
                return work()
            except sqlite3.Error as error:
                ours = self._own_path or has_our_header(self.path)
                if primary_code(error) not in CORRUPT or self._existing or not ours or attempt == 2:
                    raise self.problem(error) from error
                self._move_aside(self.problem(error))
            except OSError as error:
                raise self.problem(error) from error
        raise AssertionError

    def _with_connection(self, work: Callable[[FileConnection], T], free: list[FileConnection]) -> T:
        """Run a callback with a connection that no other thread uses meanwhile."""
        file = self._ensure_open()
        try:
            connection = free.pop()
        except IndexError:
            connection = (connect_writer if free is self._free_writer else connect)(self.path, self._wait)
        try:
            return work(connection)
        finally:
            if connection.in_transaction:
                with suppress(sqlite3.Error):
                    connection.rollback()
            if file == self._file:
                free.append(connection)
            else:
                connection.close()

    def _write_alone(self, work: Callable[[FileConnection], T]) -> T:
        # After one timeout on a locked file, later calls do not wait until a transaction succeeds again.
        hurried = self._patience.hurried
        wait = 0.0 if self._stuck or hurried else self._wait
        if not self._writing.acquire(timeout=wait):
            if hurried:
                raise TooLate("another thread writes to the store")
            raise Unavailable(f"the store {self.path} is busy")
        try:
            return self._with_connection(
                lambda connection: self._transaction(connection, work, wait), self._free_writer
            )
        finally:
            self._writing.release()

    def _transaction(self, connection: FileConnection, work: Callable[[FileConnection], T], wait: float) -> T:
        try:
            begin_writing(connection, wait)
        except sqlite3.OperationalError as error:
            busy = primary_code(error) == sqlite3.SQLITE_BUSY
            if busy and self._patience.hurried:
                raise TooLate("another process writes to the store") from error
            self._stuck = busy
            raise
        self._stuck = False
        done = work(connection)
        connection.execute("COMMIT")
        return done

    def _ensure_open(self) -> tuple[int, ...]:
        """Return the process id and identity of the current file; drop connections to any other file."""
        file = self._current_file()
        if file is None or file != self._file:
            with self._opening:
                file = self._current_file()
                if file is None or file != self._file:
                    self._drop()
                    file = self._file = self._open()
        return file

    def _current_file(self) -> tuple[int, ...] | None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return os.getpid(), status.st_dev, status.st_ino

    def _open(self) -> tuple[int, ...]:
        """Create the file if it is missing, and migrate its tables."""
        if self._existing:
            if not self.path.exists():
                raise NoStore(f"there is no store at {self.path}")
        else:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._create_or_migrate(0.0 if self._unopened else self._wait)
        except (sqlite3.OperationalError, BlockingIOError):
            self._unopened = True
            raise
        self._unopened = False
        file = self._current_file()
        if file is None:
            raise FileNotFoundError(2, "it was deleted while it was opened")
        return file

    def _create_or_migrate(self, wait: float) -> None:
        with directory_lock(self.path.parent, wait):
            if not self.path.exists():
                for suffix in SIDECARS:
                    beside(self.path, suffix).unlink(missing_ok=True)
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            with closing(connect(self.path, wait)) as connection:
                migrate(connection, self.path, self._migrations)
                if not self._existing:
                    restrict_to_owner(self.path)

    def _move_aside(self, problem: StoreError) -> None:
        """Rename a damaged file, so that the next call creates a new one."""
        with self._opening, directory_lock(self.path.parent, self._wait):
            ours = self._file is None or self._current_file() == self._file
            self._drop()
            if not ours or not self.path.exists():
                return
            name = f"{self.path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
            aside = self.path.with_name(name)
            beside(self.path, "-shm").unlink(missing_ok=True)
            for suffix in ("-wal", ""):
                with suppress(FileNotFoundError):
                    beside(self.path, suffix).rename(beside(aside, suffix))
        _LOGGER.warning(f"{problem}; it was kept as {aside.name}, and a new one was started")

    def _drop(self) -> None:
        mine = self._file is not None and self._file[0] == os.getpid()
        self._file = None
        for free in (self._free, self._free_writer):
            if not mine:
                # Connections inherited by a fork belong to the parent process; this process must not close them.
                self._inherited += free
                free.clear()
            while free:
                free.pop().close()
