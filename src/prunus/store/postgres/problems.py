"""Errors of Postgres in one sentence that names the server."""

from __future__ import annotations

import psycopg

from prunus.store.store import StoreError, Unavailable


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
