"""Transactions that only read, and how long the statements of a transaction may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from prunus.store.postgres.connection import PipelinedConnection, TimedConnection
from prunus.store.sql.database import SqlConnection

T = TypeVar("T")


def run_in_snapshot(
    connection: TimedConnection, work: Callable[[SqlConnection], T], seconds: float | None = None
) -> T:
    """Run a callback whose statements all see the same state, and which may take longer with `seconds`."""
    with connection.pipeline() as pipeline:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        if seconds is not None:
            set_patience(connection, seconds)
        done = work(PipelinedConnection(connection, pipeline))
        connection.execute("COMMIT")
    return done


def set_patience(connection: TimedConnection, seconds: float | None) -> None:
    """Let the statements of this transaction take this long; None for as long as they need."""
    ms = 0 if seconds is None else int(seconds * 1000)
    connection.execute(f"SET LOCAL statement_timeout = {ms}".encode())
    connection.deadline = None if seconds is None else time.monotonic() + seconds
