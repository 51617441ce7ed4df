"""The results of a corpus as rows, one for each conversation, policy and price, in JSON lines or Parquet.

A recording that could not be read, or of which something was left out, has one more row without a policy, so that
counts of failures are merged like all others.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

import msgspec

from prunus.corpus.duck import connect
from prunus.errors import SettingsError
from prunus.lab.run import Measured, Measurement

SUFFIXES: Final = (".jsonl", ".parquet")
_EMPTY: Final[dict[str, Any]] = {
    field.name: {"str": "", "int": 0, "float": 0.0}[str(field.type)]
    for field in fields(Measurement)
    if field.default is MISSING
}


@dataclass(frozen=True, slots=True)
class CorpusRow(Measurement):
    """A measurement with the recording that it comes from."""

    path: str = ""
    """The name of the recording."""
    place: int = 0
    """The place of policy and price among those that were asked for."""
    failure: str = ""
    """Why the recording could not be read, or the rest of it."""
    short: int = 0
    """Conversations with too few requests to count."""
    skipped: int = 0
    """The number of damaged records."""


COLUMNS: Final[dict[str, str]] = {
    field.name: {"str": "VARCHAR", "int": "BIGINT", "float": "DOUBLE"}[str(field.type)]
    for field in fields(CorpusRow)
}
"""The columns of a table of rows, with their SQL types."""


def rows_of(measured: Measured) -> Iterator[CorpusRow]:
    """Return the rows of one recording."""
    places: dict[tuple[str, str], int] = {}
    for row in measured.rows:
        place = places.setdefault((row.policy, row.prices), len(places))
        yield CorpusRow(**asdict(row), path=measured.path, place=place)
    if measured.failure or measured.short or measured.skipped:
        yield CorpusRow(
            **_EMPTY,
            path=measured.path,
            failure=measured.failure,
            short=measured.short,
            skipped=measured.skipped,
        )


def check_suffix(path: Path) -> None:
    """Raise SettingsError if rows cannot be written to a file of this name."""
    if path.suffix not in SUFFIXES:
        raise SettingsError(f"{path}: give a name that ends in {' or '.join(SUFFIXES)}")


def write_rows(path: Path, rows: Iterable[CorpusRow]) -> None:
    """Write rows to a file, which is there as a whole or not at all. Raises NoDuckDB for Parquet without DuckDB."""
    lines, fresh = path.with_name(path.name + ".lines"), path.with_name(path.name + ".new")
    with lines.open("wb") as file:
        for row in rows:
            file.write(msgspec.json.encode(row) + b"\n")
    if path.suffix == ".parquet":
        _write_parquet(lines, fresh)
        lines.unlink()
        fresh.replace(path)
    else:
        lines.replace(path)


def _write_parquet(lines: Path, path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="prunus-") as folder, connect(folder) as database:
        database.execute(f"COPY (SELECT * FROM {json_rows('?')}) TO {_quoted(path)} (FORMAT parquet)", [str(lines)])


def json_rows(name: str) -> str:
    """Return the SQL of a table of rows in JSON lines."""
    columns = ", ".join(f"{column}: '{kind}'" for column, kind in COLUMNS.items())
    return f"read_json({name}, format = 'newline_delimited', columns = {{{columns}}})"


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
