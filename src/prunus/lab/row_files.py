"""Files of rows, as JSON lines or Parquet."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from prunus.corpus.duck import connect
from prunus.errors import SettingsError
from prunus.lab.corpus_rows import COLUMNS, CorpusRow

SUFFIXES: Final = (".jsonl", ".parquet")


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
