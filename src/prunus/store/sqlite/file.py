"""The file of a store on disk: its owner, its sidecar files, and a lock for creating or renaming it.

The header of the file says which program created it (https://www.sqlite.org/fileformat.html, 1.3).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from prunus.store.sqlite.connection import APPLICATION
from prunus.store.store import StoreError

if os.name == "posix":
    import fcntl

SIDECARS: Final = ("-wal", "-shm")
"""The suffixes of the files that SQLite creates beside the database."""
_MAGIC: Final = b"SQLite format 3\0"
_APPLICATION_AT: Final = 68


def check_file(path: Path) -> None:
    """Raise StoreError if a file is not a SQLite database, because such a file does not belong to Prunus."""
    if path.is_file() and path.stat().st_size and not _header(path).startswith(_MAGIC):
        raise StoreError(f"the store {path} is not a database; it was left as it is")


def has_our_header(path: Path) -> bool:
    """Return whether a file is a SQLite database that Prunus created."""
    header = _header(path)
    return header.startswith(_MAGIC) and header[_APPLICATION_AT:] == APPLICATION.to_bytes(4, "big")


def _header(path: Path) -> bytes:
    """Return the first bytes of a file, up to its application id."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(_APPLICATION_AT + 4)
    return b""


@contextmanager
def directory_lock(directory: Path, wait: float) -> Iterator[None]:
    """Hold a lock, so that no other process creates or renames store files in the directory."""
    if os.name != "posix":
        yield
        return
    lock = os.open(directory, os.O_RDONLY)
    try:
        until = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.005)
        yield
    finally:
        os.close(lock)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def restrict_to_owner(path: Path) -> None:
    """Make the file and its sidecar files readable only by their owner."""
    for one in (path, *(beside(path, suffix) for suffix in SIDECARS)):
        with suppress(OSError):
            if one.stat().st_mode & 0o077:
                one.chmod(0o600)
