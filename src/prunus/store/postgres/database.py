"""Access to a Postgres server that many replicas share. The server may be slow, restart or vanish at any time.

A call gets a deadline of `wait` seconds. It covers the wait for a connection, for locks, and for every answer. The
server has the same timeout for each statement, so that it does not work on for a caller who has left.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Final, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool

from prunus.store.postgres.connection import (
    SCANS,
    TimedConnection,
    check_address,
    load_sums_as_integers,
    lock_statement,
    may_be_committed,
    problem,
    read_snapshot,
    run_report,
    set_patience,
)
from prunus.store.postgres.schema import (
    POSTGRES_MIGRATIONS,
    SCHEMA,
    ContentSize,
    applied_migrations,
    check_version,
    migrate_tables,
    size_of_contents,
    size_on_disk,
)
from prunus.store.records import Info
from prunus.store.sql.database import Outdated, SqlConnection, SqlDatabase
from prunus.store.store import CommitLost, Unavailable
from prunus.store.url import without_password

T = TypeVar("T")

_BRIEFLY: Final = 10
"""The milliseconds that a write waits for its locks after another one has waited in vain."""
_REPORT: Final = 10.0
"""The seconds that a report for people may take; no request waits for it."""
_MIGRATION: Final = 10.0
"""The seconds that a process waits at its start while another one brings the tables up to date."""
_CONNECTIONS: Final = 8
"""The most connections of one process."""


class PostgresDatabase(SqlDatabase):
    """Runs callbacks with a connection; `SqlDatabase` documents the methods.

    With `existing` it creates no tables: people who look at a store do not want to change it.
    """

    shared = remote = True

    def __init__(self, url: str, *, wait: float = 0.25, existing: bool = False) -> None:
        check_address(url)
        self._url = url
        super().__init__(without_password(url))
        self._wait = wait
        self._existing = existing
        self._pool: ConnectionPool[TimedConnection] | None = None
        self._process = 0
        """The process that the pool belongs to."""
        self._inherited: list[ConnectionPool[TimedConnection]] = []
        self._migrated = False
        self._opening = Lock()
        self._stuck = False
        """Whether the last call found no connection in time. Later calls do not wait until one is there again."""
        self._failure = ""
        """Why the last attempt to connect failed; empty once there is a connection."""
        self._blocked = False
        """Whether the last write did not get its locks. Until one gets them again, writes wait only briefly."""
        self._size = ContentSize(lambda: self.report(size_of_contents))

    def open(self) -> None:
        """Connect, and bring the tables up to date; if another process does that now, wait until it has."""
        until = time.monotonic() + _MIGRATION
        while True:
            try:
                return super().open()
            except Unavailable as error:
                locked = isinstance(error.__cause__, psycopg.errors.LockNotAvailable)
                if not locked or time.monotonic() > until:
                    raise

    def read(self, work: Callable[[SqlConnection], T]) -> T:
        def read(connection: TimedConnection) -> T:
            with connection.together() as together:
                return work(together)

        return self._guarded(read)

    def snapshot(self, *queries: tuple[str, Sequence[Any]]) -> list[list[Any]]:
        return self._guarded(lambda connection: read_snapshot(connection, queries))

    def report(self, work: Callable[[SqlConnection], T]) -> T:
        return self._guarded(lambda connection: run_report(connection, work, max(self._wait, _REPORT)))

    def write(self, work: Callable[[SqlConnection], T], *names: str) -> T:
        return self._guarded(lambda connection: self._transaction(connection, work, names))

    def used(self, removed: int = 0) -> int:
        """Return the bytes of the contents that the store keeps."""
        return self._size.after(removed)

    def space(self, connection: SqlConnection) -> Info:
        """Return the size of the tables with their indexes."""
        return Info(self.place, applied_migrations(connection), size_on_disk(connection))

    def _leave_to_the_server(self) -> None:
        """Do nothing: the server does its upkeep, and uses the space of removed rows again (autovacuum)."""

    checkpoint = shrink = scrub = _leave_to_the_server

    def compact(self) -> None:
        """Write the tables anew without removed rows. Nobody else can use the store meanwhile."""

        def compact(connection: TimedConnection) -> None:
            rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (SCHEMA,)).fetchall()
            connection.deadline = None
            connection.execute("SET statement_timeout = 0")
            try:
                for [table] in rows:
                    connection.execute(f"VACUUM (FULL, ANALYZE) {SCHEMA}.{table}".encode())
            except psycopg.Error as error:
                raise problem(error, self.place) from error
            finally:
                # The connection has no timeout now, so nobody else may get it.
                connection.close()

        self._guarded(compact)

    def close(self) -> None:
        with self._opening:
            self._drop()

    def _transaction(
        self, connection: TimedConnection, work: Callable[[SqlConnection], T], names: Sequence[str]
    ) -> T:
        committing = False
        try:
            with connection.together() as together:
                together.execute("BEGIN")
                if self._blocked:
                    together.execute(f"SET LOCAL lock_timeout = {_BRIEFLY}")
                together.execute(*lock_statement(names))
                done = work(together)
                together.execute("COMMIT")
                committing = True
        except psycopg.errors.LockNotAvailable:
            self._blocked = True
            raise
        except psycopg.errors.DivisionByZero as error:
            # Only a statement of `PostgresPipeline.require` can divide by zero.
            raise Outdated from error
        except psycopg.Error as error:
            if committing and may_be_committed(error):
                # Nobody may run the callback once more.
                raise CommitLost(str(problem(error, self.place))) from error
            raise
        self._blocked = False
        return done

    def _guarded(self, work: Callable[[TimedConnection], T]) -> T:
        """Run a callback before the deadline; once more if the server has restarted and closed its connections."""
        deadline = time.monotonic() + self._wait
        for attempt in (1, 2):
            try:
                return self._with_connection(work, deadline)
            except _Lost as lost:
                if attempt == 2 or time.monotonic() > deadline:
                    raise problem(lost.error, self.place) from lost.error
            except psycopg.Error as error:
                if isinstance(error, psycopg.errors.UndefinedTable):
                    # Somebody has removed the tables; the next call creates them again.
                    self._migrated = False
                raise problem(error, self.place) from error
        raise AssertionError

    def _with_connection(self, work: Callable[[TimedConnection], T], deadline: float) -> T:
        pool = self._open_pool()
        connection = self._borrow(pool, deadline)
        try:
            connection.deadline = deadline
            if not self._migrated:
                self._migrate(connection)
            return work(connection)
        except psycopg.OperationalError as error:
            if connection.closed:
                # The other connections of the pool are lost too.
                pool.drain()
                raise _Lost(error) from error
            if connection.info.transaction_status == TransactionStatus.ACTIVE:
                # The deadline has passed before the timeouts of the server, so the server does not answer at all.
                pool.drain()
            raise
        finally:
            connection.settle()
            pool.putconn(connection)

    def _borrow(self, pool: ConnectionPool[TimedConnection], deadline: float) -> TimedConnection:
        wait = 0.001 if self._stuck else max(0.001, deadline - time.monotonic())
        try:
            connection = pool.getconn(timeout=wait)
        except psycopg.Error as error:
            self._stuck = True
            raise psycopg.OperationalError(self._failure or str(error)) from error
        self._stuck, self._failure = False, ""
        return connection

    def _open_pool(self) -> ConnectionPool[TimedConnection]:
        if self._pool is not None and self._process == os.getpid():
            return self._pool
        with self._opening:
            if self._pool is None or self._process != os.getpid():
                self._drop()
                self._pool = ConnectionPool(
                    self._url,
                    connection_class=TimedConnection,
                    kwargs={
                        "autocommit": True,
                        "connect_timeout": 2,
                        "failed": self._note_failure,
                        # A pipeline prepares its statements itself. psycopg would remove them after a rollback.
                        "prepare_threshold": None,
                    },
                    min_size=1,
                    max_size=_CONNECTIONS,
                    configure=self._configure,
                    reconnect_timeout=1.0,
                    name="prunus",
                    open=True,
                )
                self._process = os.getpid()
            return self._pool

    def _note_failure(self, error: psycopg.Error) -> None:
        self._failure = str(error)

    def _configure(self, connection: TimedConnection) -> None:
        """Prepare a new connection."""
        load_sums_as_integers(connection)
        # The timeout for locks ends first, the deadline of the call last, so that the error says what went wrong.
        lock, statement, idle = (str(max(1, int(self._wait * ms))) for ms in (600, 800, 10_000))
        values = {
            "search_path": SCHEMA,
            "statement_timeout": statement,
            "lock_timeout": lock,
            "idle_in_transaction_session_timeout": idle,
            **dict.fromkeys(SCANS, "off"),
        }
        calls = ", ".join(f"set_config('{name}', %s, false)" for name in values)
        connection.execute(f"SELECT {calls}".encode(), list(values.values()))

    def _migrate(self, connection: TimedConnection) -> None:
        """Create or update the tables, once for each process."""
        with connection.together() as together:
            version = applied_migrations(together)
        check_version(version, self.place, existing=self._existing)
        if version < len(POSTGRES_MIGRATIONS):
            with connection.together() as together:
                together.execute("BEGIN")
                together.execute(*lock_statement(()))
                together.send()
                connection.deadline = None
                set_patience(together, 0)
                migrate_tables(together)
                together.execute("COMMIT")
            connection.deadline = time.monotonic() + self._wait
        self._migrated = True

    def _drop(self) -> None:
        pool, self._pool, self._migrated = self._pool, None, False
        if pool is None:
            return
        if self._process == os.getpid():
            pool.close()
        else:
            # Connections inherited by a fork belong to the parent process; this process must not close them.
            self._inherited.append(pool)


class _Lost(Exception):
    """The server closed the connection."""

    def __init__(self, error: psycopg.Error) -> None:
        super().__init__(str(error))
        self.error = error
