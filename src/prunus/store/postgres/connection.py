"""A connection to Postgres that takes the statements of the store and has a deadline."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import IntLoader

from prunus.store.sql.database import SqlRows

RV = TypeVar("RV")

# The store reports its failures itself. Without a handler, Python would print the warnings of the driver too.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_ROLLBACK: Final = 0.05
"""The seconds that a rollback may take after a call has failed; then the connection is closed instead."""


class TimedConnection(psycopg.Connection[tuple[Any, ...]]):
    """Stops waiting for the server at a deadline. The caller then closes the connection.

    The server has a timeout of its own for each statement. This one also covers a server that does not answer.
    """

    deadline: float | None = None
    """The time of `time.monotonic` until which statements may take; None for as long as they need."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Wait for the server, and raise psycopg.Error at the deadline."""
        if self.deadline is not None:
            left = max(0.001, self.deadline - time.monotonic())
            timeout = left if timeout is None else min(timeout, left)
        return super().wait(gen, interval, timeout)

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
    """Runs the statements that SQLite takes too; see `prunus.store.sql.database`."""

    def __init__(self, connection: TimedConnection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> SqlRows:
        """Run a statement with these values."""
        return self._connection.execute(_translated(statement), _adapted(values))

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run a statement once for each row of values; they go to the server together."""
        self._connection.cursor().executemany(_translated(statement), [_adapted(values) for values in rows])


class PipelinedConnection:
    """Runs the same statements without waiting for their results, until somebody reads one of them.

    A failed statement raises its error at the next result that somebody reads, or at the end of the pipeline. The
    server then skips all statements in between.
    """

    def __init__(self, connection: TimedConnection, pipeline: psycopg.Pipeline) -> None:
        self._connection = connection
        self._pipeline = pipeline

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> SqlRows:
        """Run a statement with these values."""
        cursor = self._connection.execute(_translated(statement), _adapted(values))
        return _PipelinedRows(cursor, self._pipeline)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run a statement once for each row of values."""
        for values in rows:
            self._connection.execute(_translated(statement), _adapted(values))


class _PipelinedRows:
    """The result of a statement in a pipeline."""

    def __init__(self, cursor: psycopg.Cursor[tuple[Any, ...]], pipeline: psycopg.Pipeline) -> None:
        self._cursor = cursor
        self._pipeline = pipeline

    @property
    def rowcount(self) -> int:
        self._pipeline.sync()
        return self._cursor.rowcount

    def fetchone(self) -> Any:
        return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor.fetchall())


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
