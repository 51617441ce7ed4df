"""The file of a store on disk: who made it, what lies beside it, and a lock for those who create or move it.

The first bytes of the file tell who made it (https://www.sqlite.org/fileformat.html, 1.3).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from prunus.store.schema import APPLICATION
from prunus.store.store import StoreError

if os.name == "posix":
    import fcntl

SIDECARS: Final = ("-wal", "-shm")
"""The files that SQLite puts beside its own."""
_MAGIC: Final = b"SQLite format 3\0"
_APPLICATION_AT: Final = 68


def check_file(path: Path) -> None:
    """Raise StoreError where a path names a file that is no SQLite database: such a file is not ours to touch."""
    if path.is_file() and path.stat().st_size and not _header(path).startswith(_MAGIC):
        raise StoreError(f"the store {path} is not a database; it was left as it is")


def has_our_header(path: Path) -> bool:
    """Whether a file is a SQLite database that Prunus made."""
    header = _header(path)
    return header.startswith(_MAGIC) and header[_APPLICATION_AT:] == APPLICATION.to_bytes(4, "big")


def _header(path: Path) -> bytes:
    """The start of a file up to its application id."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(_APPLICATION_AT + 4)
    return b""


@contextmanager
def alone(directory: Path, wait: float) -> Iterator[None]:
    """Be the only process that creates or moves files in a directory."""
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


def close_to_others(path: Path) -> None:
    """Let only the owner read the file and what lies beside it."""
    for one in (path, *(beside(path, suffix) for suffix in SIDECARS)):
        with suppress(OSError):
            if one.stat().st_mode & 0o077:
                one.chmod(0o600)
