"""DuckDB, which reads and writes Parquet files; `prunus[fleet]` installs it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, Final

from prunus.errors import PrunusError

_MEMORY: Final = "4GB"
"""The most memory that DuckDB may use. It unpacks one row group at a time, and sorts on disk what needs more."""


class NoDuckDB(PrunusError):
    """DuckDB is not installed; the message says how to install it."""

    def __init__(self) -> None:
        super().__init__("Parquet files need DuckDB, which is not installed: pip install 'prunus[fleet]'")


def connect(folder: str) -> AbstractContextManager[Any]:
    """Return a connection to a database in memory, with room on disk in a folder. Raises NoDuckDB."""
    settings = {"memory_limit": _MEMORY, "temp_directory": folder, "preserve_insertion_order": True, "threads": 1}
    connection: AbstractContextManager[Any] = _duckdb().connect(":memory:", config=settings)
    return connection


def engine_errors() -> type[Exception]:
    """Return the type of DuckDB's own errors. Raises NoDuckDB."""
    error: type[Exception] = _duckdb().Error
    return error


def _duckdb() -> Any:
    try:
        return import_module("duckdb")
    except ImportError as error:
        raise NoDuckDB from error
