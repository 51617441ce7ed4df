"""Parquet files of traces, read through DuckDB.

Rows of the same session come together if a column names the session; DuckDB sorts them, on disk if they do not fit
into memory. Without such a column each row is a session.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec

from prunus.clients.columns import SESSION, TIME, plain
from prunus.corpus.duck import NoDuckDB, connect, engine_errors
from prunus.corpus.source import Source, Wanted

_BATCH: Final = 64
"""Rows that are fetched at once."""
_KEPT: Final = frozenset({"content"})
"""Fields of a message that may be null."""


def is_table(path: Path) -> bool:
    """Whether a file is a Parquet file, by its name."""
    return path.suffix.lower() in (".parquet", ".pq")


def table_sources(path: Path, wanted: Wanted) -> Iterator[Source]:
    """Yield one source for each session of a Parquet file. A damaged file ends with a source that says so."""
    try:
        errors = engine_errors()
    except NoDuckDB as error:
        yield Source(str(path), path, problem=str(error))
        return
    try:
        with tempfile.TemporaryDirectory(prefix="prunus-") as folder:
            yield from _sources(path, wanted, folder)
    except errors as error:
        yield Source(str(path), path, problem=f"cannot be read: {str(error).splitlines()[0]}")


def _sources(path: Path, wanted: Wanted, folder: str) -> Iterator[Source]:
    with connect(folder) as database:
        described = database.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
        columns = [str(column[0]) for column in described]
        session, time = _column(columns, SESSION), _column(columns, TIME)
        order = ", ".join(_quoted(column) for column in (session, time) if session and column)
        [[count]] = database.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchall()
        each = path.stat().st_size // max(1, count)
        query = "SELECT * FROM read_parquet(?)" + (f" ORDER BY {order}" if order else "")
        cursor = database.execute(query, [str(path)])
        numbered = enumerate(_rows(cursor, columns), 1)
        for key, group in groupby(numbered, lambda item: _key(item, session)):
            name = f"{path}#{key}"
            rows = [row for _, row in group]
            if wanted(name):
                data = b"".join(msgspec.json.encode(_without_nulls(row)) + b"\n" for row in rows)
                yield Source(name, path, data, each * len(rows), f"{path.stem}#{key}")


def _rows(cursor: Any, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    while batch := cursor.fetchmany(_BATCH):
        for row in batch:
            yield dict(zip(columns, row, strict=True))


def _key(item: tuple[int, Mapping[str, Any]], session: str) -> str:
    """The name of the row's session; the number of the row where none is given."""
    number, row = item
    return str(row[session]) if session and row[session] is not None else f"row {number}"


def _column(columns: Sequence[str], names: Sequence[str]) -> str:
    """The column with the first of these names; empty if there is none."""
    known = {plain(column): column for column in columns}
    return next((known[name] for name in names if name in known), "")


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _without_nulls(value: Any) -> Any:
    """The value without the null fields that a table gives to each object because others have them."""
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None or key in _KEPT}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value
