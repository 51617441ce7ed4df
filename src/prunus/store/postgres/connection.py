"""Connections to Postgres: they take the statements of the store, have a deadline, and lock what a write names."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, Final, TypeVar, cast

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import IntLoader

from prunus.errors import SettingsError
from prunus.store.sql.database import SqlConnection, SqlRows
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
    _queueing = False

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
        if self._queueing:
            # When psycopg wants to send for the first time, it has queued the statement. It sends the queue later.
            next(gen, None)
            gen.close()
            return cast("RV", None)
        if self.deadline is not None:
            left = max(0.001, self.deadline - time.monotonic())
            timeout = left if timeout is None else min(timeout, left)
        return super().wait(gen, interval, timeout)

    @contextmanager
    def together(self) -> Iterator[PostgresConnection]:
        """Begin a block whose statements go to the server in one message, as far as nobody reads their results.

        psycopg would send each statement of a pipeline on its own. For each of them the server would wake up, and
        this thread would let the other threads of its process go first.
        """
        try:
            with self.pipeline() as pipeline:
                statements = PostgresConnection(self, partial(_send_at_once, pipeline))
                yield statements
                _collect(pipeline)
        except psycopg.errors.PipelineAborted as skipped:
            # This is the error of a statement that the server has skipped; the one before it says why.
            raise _first_error(skipped) from None
        statements.queued = False

    def queue(self, statement: bytes, values: Sequence[Any]) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement of a pipeline when the pipeline is synchronised."""
        self._queueing = True
        try:
            return self.execute(statement, values)
        finally:
            self._queueing = False

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


class PostgresConnection:
    """Runs the statements that SQLite takes too; see `prunus.store.sql.database`.

    With `sync`, statements are queued until somebody reads a result, and then go to the server together. A failed
    statement raises its error then, or at the end of the block, and the server skips the statements after it.
    """

    def __init__(self, connection: TimedConnection, sync: Callable[[], None] | None = None) -> None:
        self._connection = connection
        self._sync = sync
        self.queued = False
        """Whether statements wait to be sent."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> SqlRows:
        """Run a statement with these values."""
        if self._sync is None:
            return self._connection.execute(_translated(statement), _adapted(values))
        self.queued = True
        return _QueuedRows(self._connection.queue(_translated(statement), _adapted(values)), self.send)

    def send(self) -> None:
        """Send the statements that wait to be sent, and receive the results of all."""
        if self.queued and self._sync is not None:
            self.queued = False
            self._sync()

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run a statement once for each row of values."""
        for values in rows:
            self.execute(statement, values)

    def ask(self, statement: str, values: Sequence[Any] = (), /) -> Callable[[], list[Any]]:
        """Run a statement, and return a function that returns its rows."""
        return self.execute(statement, values).fetchall

    def require(self, statement: str, values: Sequence[Any] = (), /) -> None:
        """Run a statement; it fails with psycopg.errors.DivisionByZero if it returns no row."""
        self.execute(f"WITH found AS ({statement}) SELECT 1 / count(*) FROM found", values)


class _QueuedRows:
    """The result of a statement that may not have been sent yet."""

    def __init__(self, cursor: psycopg.Cursor[tuple[Any, ...]], send: Callable[[], None]) -> None:
        self._cursor = cursor
        self._send = send

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        self._send()
        return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        """Return all rows."""
        self._send()
        return self._cursor.fetchall()

    def __iter__(self) -> Iterator[Any]:
        self._send()
        return iter(self._cursor)


def _send_at_once(pipeline: psycopg.Pipeline) -> None:
    """Send the statements of a pipeline in one message, and receive their results."""
    _collect(pipeline)
    pipeline.sync()


def _collect(pipeline: psycopg.Pipeline) -> None:
    """Hand the statements of a pipeline to libpq, which keeps them until the pipeline is synchronised.

    psycopg's own loop flushes after each statement. libpq sends early what exceeds its buffer of 64 KB.
    """
    while pipeline.command_queue:
        pipeline.command_queue.popleft()()


def _first_error(error: BaseException) -> BaseException:
    """Return the error of the statement that failed first, while psycopg received the others."""
    while isinstance(error, psycopg.errors.PipelineAborted) and isinstance(error.__context__, psycopg.Error):
        error = error.__context__
    return error


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


def set_patience(connection: PostgresConnection, seconds: float) -> None:
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


@lru_cache(maxsize=256)
def _translated(statement: str) -> bytes:
    """Return a statement with the placeholders of psycopg."""
    return statement.replace("%", "%%").replace("?", "%s").encode()


def _adapted(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(_adapt, values))


def _adapt(value: Any) -> Any:
    """Return a value as the tables take it: flags as numbers, and text without NUL and lone surrogates."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and ("\0" in value or not value.isascii()):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    return value
