"""Connections to the SQLite file, and how they wait for each other."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Final

from prunus.store.sqlite_errors import primary_code

_RETRY: Final = 0.001
"""The seconds between two tries to begin a transaction. A transaction of a request takes less than that."""


def connect(path: Path, wait: float) -> sqlite3.Connection:
    """Open a file that exists; the connection waits up to `wait` seconds for the locks of others."""
    # mode=rw: if SQLite created the file itself, other users could read it.
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw",
        uri=True,
        timeout=wait,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA temp_store=MEMORY")
        # The store makes checkpoints between requests; this limit is for stores without such housekeeping.
        connection.execute("PRAGMA wal_autocheckpoint=4000")
        connection.execute(f"PRAGMA journal_size_limit={32 * 1024 * 1024}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect_writer(path: Path, wait: float) -> sqlite3.Connection:
    """Open a file for `begin_writing`, which waits for the locks of others itself."""
    connection = connect(path, wait)
    connection.execute("PRAGMA busy_timeout=0")
    return connection


def begin_writing(connection: sqlite3.Connection, wait: float) -> None:
    """Begin a transaction that writes; try again for `wait` seconds while another process writes.

    SQLite itself would soon sleep for tens of milliseconds between two tries.
    """
    until = time.monotonic() + wait
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
        time.sleep(_RETRY)
