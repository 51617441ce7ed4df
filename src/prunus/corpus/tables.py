"""Parquet files of traces, read through DuckDB, which `prunus[fleet]` installs.

If a column names the session, all rows of a session become one recording; otherwise each row is a session. Where
the rows of a session do not follow each other in the file, they are collected on disk: each row goes to one of
several packed files, by the hash of its session, and each of these files is small enough to be grouped in memory.
Memory grows with the largest row group of a file, and not with the file.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from glob import escape
from importlib import import_module
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import msgspec
import zstandard

from prunus.clients.trace_rows import SESSION, plain
from prunus.corpus.source import Source, Wanted, name_of, stable_hash
from prunus.errors import PrunusError

_BATCH: Final = 64
"""Rows that are fetched at once."""
_KEPT: Final = frozenset({"content"})
"""Fields of a message that may be null."""
_MEMORY: Final = "4GB"
"""The most memory that DuckDB may use. It unpacks one row group at a time, and sorts on disk what needs more."""
_NO_SESSION: Final = "NULL"
_NAMING: Final = "CASE WHEN ltrim({0})[1] IN ('[', '{{') AND json_valid({0}) THEN NULL ELSE nullif({0}, '') END"
"""The text of a column if it may name a session: a JSON text of an object or list is what was said."""
_NESTED: Final = ("STRUCT(", "MAP(", "UNION(")
_ZONED: Final = re.compile("TIMESTAMP WITH TIME ZONE|TIMESTAMPTZ_NS")
"""The types of a time with a zone, in micro- and in nanoseconds; pandas writes nanoseconds."""
_EACH: Final = 128_000_000
"""The bytes of rows that one packed file shall hold."""
_MOST: Final = 256
"""The most packed files."""


def is_table(path: Path) -> bool:
    """Whether a file is a Parquet file, by its name."""
    return path.suffix.lower() in (".parquet", ".pq")


def table_sources(path: Path, wanted: Wanted) -> Iterator[Source]:
    """Yield one source for each session of a Parquet file. A damaged file ends with a source that says so.

    Raises OSError with the folder of temporary files if they do not fit there.
    """
    problem = ""
    try:
        errors = engine_errors()
        try:
            with tempfile.TemporaryDirectory(prefix="prunus-") as folder:
                yield from _sources(path, wanted, folder)
        except (errors, UnicodeEncodeError) as error:
            problem = f"cannot be read: {str(error).splitlines()[0]}"
        except OSError as error:
            # Without a name, a full disk would be taken for that of the rows.
            raise OSError(error.errno, error.strerror, error.filename or tempfile.gettempdir()) from error
    except NoDuckDB as error:
        problem = str(error)
    if problem and wanted(name := name_of(path)):
        yield Source(name, path, problem=problem)


def _sources(path: Path, wanted: Wanted, folder: str) -> Iterator[Source]:
    with connect(folder) as database:
        types = {
            str(name): str(kind)
            for name, kind, *_ in database.execute("DESCRIBE FROM read_parquet(?)", [literal(path)]).fetchall()
        }
        session = _session(types)
        size, count = _sizes(database, path)
        lines = _lines(database, path, types, session)
        if not _is_grouped(database, path, session):
            groups = together(lines, size, Path(folder))
        else:
            groups = _neighbours(lines)
        each = path.stat().st_size // max(1, count)
        for key, rows in groups:
            name = name_of(path, f"#{key}")
            if wanted(name):
                yield Source(name, path, b"".join(rows), each * len(rows), f"{path.stem}#{key}")


def _sizes(database: Any, path: Path) -> tuple[int, int]:
    """Return the unpacked bytes of a file, and its rows."""
    size = "SELECT coalesce(sum(total_uncompressed_size), 0) FROM parquet_metadata(?)"
    [[found]] = database.execute(size, [literal(path)]).fetchall()
    [[count]] = database.execute("SELECT count(*) FROM read_parquet(?)", [literal(path)]).fetchall()
    return int(found), int(count)


def _is_grouped(database: Any, path: Path, session: str) -> bool:
    """Return whether the rows of each session follow each other."""
    if session == _NO_SESSION:
        return True
    before = f"SELECT one, lag(one) OVER () AS other FROM (SELECT {session} AS one FROM read_parquet(?))"
    counts = f"SELECT count(*) FILTER (one IS DISTINCT FROM other), count(DISTINCT one) FROM ({before})"
    [[runs, sessions]] = database.execute(counts, [literal(path)]).fetchall()
    return bool(runs == sessions)


def _lines(database: Any, path: Path, types: Mapping[str, str], session: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name of the session and the JSON line of each row; without a name, the number of the row."""
    cells = ", ".join(_cell(column, kind) for column, kind in types.items())
    cursor = database.execute(f"SELECT {session}, {cells} FROM read_parquet(?)", [literal(path)])
    fetched = chain.from_iterable(iter(lambda: cursor.fetchmany(_BATCH), []))
    for number, (name, *values) in enumerate(fetched, 1):
        row = _readable(dict(zip(types, values, strict=True)))
        yield f"row {number}" if name is None else name, msgspec.json.encode(row) + b"\n"


def _cell(column: str, kind: str) -> str:
    """Return the SQL of a column, with text for a time that has a zone: as a value, DuckDB needs `pytz` for it."""
    name = _quoted(column)
    text = _ZONED.sub("VARCHAR", kind)
    return f"CAST({name} AS {text}) AS {name}" if text != kind else name


def _neighbours(lines: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, list[bytes]]]:
    for key, group in groupby(lines, itemgetter(0)):
        yield key, [line for _, line in group]


def _session(types: Mapping[str, str]) -> str:
    """Return the SQL of the name of a row's session, from the first column that has one, as in JSON lines."""
    known = {
        plain(column): column
        for column, kind in types.items()
        if not kind.startswith(_NESTED) and not kind.endswith("]") and kind != "BOOLEAN"
    }
    texts = [f"CAST({_quoted(known[name])} AS VARCHAR)" for name in SESSION if name in known]
    return f"coalesce({', '.join(map(_NAMING.format, texts))})" if texts else _NO_SESSION


def literal(path: Path) -> str:
    """Return a path as DuckDB reads it as itself: `a[1].parquet` would be a pattern for `a1.parquet`."""
    return escape(str(path))


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _readable(value: Any) -> Any:
    """The value without the null fields that a table gives to each object because others have them.

    Text may come as bytes: some programs do not say that their column is text, or keep bodies as they were sent.
    """
    if isinstance(value, dict):
        return {key: _readable(one) for key, one in value.items() if one is not None or key in _KEPT}
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    return [_readable(one) for one in value] if isinstance(value, list) else value


class NoDuckDB(PrunusError):
    """DuckDB is not installed; the message says how to install it."""

    def __init__(self) -> None:
        super().__init__(
            "Parquet files and `prunus report` need DuckDB, which is not installed: pip install 'prunus[fleet]'"
        )


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


def together(lines: Iterable[tuple[str, bytes]], size: int, folder: Path) -> Iterator[tuple[str, list[bytes]]]:
    """Yield each session with its lines in their order; `size` are the bytes of all lines, about."""
    count = min(_MOST, 1 + size // _EACH)
    paths = [folder / f"{number}.zst" for number in range(count)]
    with ExitStack() as stack:
        files = [
            stack.enter_context(
                zstandard.ZstdCompressor(level=1).stream_writer(stack.enter_context(path.open("wb")))
            )
            for path in paths
        ]
        for session, line in lines:
            name = session.encode(errors="surrogatepass")
            files[stable_hash(session) % count].write(b"%d %d\n%s%s" % (len(name), len(line), name, line))
    for path in paths:
        sessions: dict[str, list[bytes]] = {}
        for session, line in _read(path):
            sessions.setdefault(session, []).append(line)
        path.unlink()
        while sessions:
            session = next(iter(sessions))
            yield session, sessions.pop(session)


def _read(path: Path) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as file:
        data = file.read()
    place = 0
    while place < len(data):
        end = data.index(b"\n", place)
        name, line = map(int, data[place:end].split())
        start = end + 1
        yield data[start : start + name].decode(errors="surrogatepass"), data[start + name : start + name + line]
        place = start + name + line
