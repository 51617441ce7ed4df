"""Connections to Postgres: they take the statements of the store, have a deadline, and lock what a write names."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import IntLoader

from prunus.errors import SettingsError
from prunus.store.postgres.pipeline import PostgresPipeline, PreparedStatements
from prunus.store.sql.database import SqlConnection
from prunus.store.store import StoreError, Unavailable

RV = TypeVar("RV")
T = TypeVar("T")

# The store reports its failures itself. Without a handler, Python would print the warnings of the driver too.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_SNAPSHOT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
SCANS: Final = ("enable_seqscan", "enable_hashjoin", "enable_mergejoin")
"""Settings of the server's planner. A request finds all its rows by an index. For a table of which the server knows
nothing yet, or which was small when a statement was prepared, the planner would read the whole table instead."""
_ROLLBACK: Final = 0.05
"""The seconds that a rollback may take after a call has failed; then the connection is closed instead."""


class TimedConnection(psycopg.Connection[tuple[Any, ...]]):
    """Stops waiting for the server at a deadline. The caller then closes the connection.

    The server has a timeout of its own for each statement. This one also covers a server that does not answer.
    """

    deadline: float | None = None
    """The time of `time.monotonic` until which statements may take; None for as long as they need."""

    @cached_property
    def prepared(self) -> PreparedStatements:
        """The statements that its pipelines have prepared."""
        return PreparedStatements()

    @classmethod
    def connect(  # type: ignore[override]  # only the pool calls it
        cls, conninfo: str = "", *, failed: Callable[[psycopg.Error], None], **options: Any
    ) -> TimedConnection:
        """Connect, and tell `failed` why not; the pool only says that it had no connection in time."""
        try:
            return super().connect(conninfo, **options)
        except psycopg.Error as error:
            failed(error)
            raise

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Wait for the server, and raise psycopg.Error at the deadline."""
        if self.deadline is not None:
            left = max(0.001, self.deadline - time.monotonic())
            timeout = left if timeout is None else min(timeout, left)
        return super().wait(gen, interval, timeout)

    def together(self) -> PostgresPipeline:
        """Begin a block whose statements go to the server in one message, as far as nobody reads their results."""
        return PostgresPipeline(self, self.prepared)

    def settle(self) -> None:
        """Roll back an open transaction, or close the connection if an answer did not come in time."""
        with suppress(psycopg.Error):
            match self.info.transaction_status:
                case TransactionStatus.INTRANS | TransactionStatus.INERROR:
                    self.deadline = time.monotonic() + _ROLLBACK
                    self.rollback()
                case TransactionStatus.ACTIVE:
                    self.close()
        self.deadline = None


def read_snapshot(connection: TimedConnection, queries: Sequence[tuple[str, Sequence[Any]]]) -> list[list[Any]]:
    """Return the rows of queries that all see the same state, in one round trip."""
    with connection.together() as together:
        together.execute(_SNAPSHOT)
        found = [together.ask(*query) for query in queries]
        together.execute("COMMIT")
    return [rows() for rows in found]


def run_report(connection: TimedConnection, work: Callable[[SqlConnection], T], seconds: float) -> T:
    """Run a callback whose statements all see the same state, and which may take this long."""
    with connection.together() as together:
        together.execute(_SNAPSHOT)
        for scan in SCANS:
            together.execute(f"SET LOCAL {scan} = on")
        set_patience(together, seconds)
        connection.deadline = time.monotonic() + seconds
        done = work(together)
        together.execute("COMMIT")
    return done


def set_patience(connection: SqlConnection, seconds: float) -> None:
    """Let each statement of this transaction take this long; 0 for as long as it needs."""
    connection.execute(f"SET LOCAL statement_timeout = {int(seconds * 1000)}")


def lock_statement(names: Sequence[str]) -> tuple[str, list[int]]:
    """Return a statement that takes the locks of a write, always in the same order, and its values.

    They are advisory locks, which all replicas share and which end with the transaction. A write with names shares
    the lock of the whole store with others. A write without names has it alone.
    """
    keys = sorted({_lock_key(name) for name in names})
    whole = "pg_advisory_xact_lock_shared(?)" if names else "pg_advisory_xact_lock(?)"
    return f"SELECT {', '.join([whole, *['pg_advisory_xact_lock(?)'] * len(keys)])}", [_lock_key(""), *keys]


def _lock_key(name: str) -> int:
    digest = blake2b(f"prunus {name}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def check_address(url: str) -> None:
    """Raise SettingsError if Postgres does not understand an address."""
    try:
        conninfo_to_dict(url)
    except psycopg.Error:
        # The error may quote the password.
        raise SettingsError("store.url: this is not a valid address of a Postgres database") from None


def problem(error: psycopg.Error, place: str) -> StoreError:
    """Return a StoreError that describes an error."""
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return Unavailable(f"the store {place} is locked by another process")
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return Unavailable(f"the store {place} is read-only")
    words = (str(error).splitlines() or [type(error).__name__])[0]
    what = "does not answer" if error.sqlstate is None else "failed"
    kind = Unavailable if isinstance(error, psycopg.OperationalError) else StoreError
    return kind(f"the store {place} {what}: {words}")


def may_be_committed(error: psycopg.Error) -> bool:
    """Whether the server may have committed before it failed; an error of a statement says that it has not."""
    return error.sqlstate is None or error.sqlstate.startswith("57P")


def load_sums_as_integers(connection: psycopg.Connection[Any]) -> None:
    """Make integers of sums of integers. Postgres gives them the type numeric, which would become Decimal."""
    connection.adapters.register_loader("numeric", IntLoader)
