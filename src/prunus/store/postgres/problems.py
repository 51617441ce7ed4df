"""Errors of Postgres in one sentence that names the server."""

from __future__ import annotations

import psycopg

from prunus.store.store import CommitLost, StoreError, Unavailable


def problem(error: psycopg.Error, place: str) -> StoreError:
    """Return a StoreError that describes an error."""
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return Unavailable(f"the store {place} is locked by another process")
    words = (str(error).splitlines() or [type(error).__name__])[0]
    what = "does not answer" if error.sqlstate is None else "failed"
    kind = Unavailable if isinstance(error, psycopg.OperationalError) else StoreError
    return kind(f"the store {place} {what}: {words}")


def commit_problem(error: psycopg.Error, place: str) -> StoreError:
    """Return the error of a commit: CommitLost if the server may have committed before it failed."""
    described = problem(error, place)
    unknown = error.sqlstate is None or error.sqlstate.startswith("57P")
    return CommitLost(str(described)) if unknown else described
