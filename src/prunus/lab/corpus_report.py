"""The results of a corpus as rows in JSON lines or Parquet, and what the rows of many runs come to together.

There is one row for each conversation, policy and price. A recording that could not be read, or of which something
was left out, has one more row without a policy, so that counts of failures are merged like all others.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final

import msgspec

from prunus.corpus.tables import connect, engine_errors, literal
from prunus.errors import FormatError, SettingsError
from prunus.lab.run import Measured, Measurement
from prunus.lab.summary import COSTS, COUNTS, MILLION, GroupSums, Summary, summary_of
from prunus.text.numbers import counted

SUFFIXES: Final = (".jsonl", ".parquet")
_EMPTY: Final[dict[str, Any]] = {
    field.name: {"str": "", "int": 0, "float": 0.0}[str(field.type)]
    for field in fields(Measurement)
    if field.default is MISSING
}
GroupName = tuple[str, str, str]
"""A policy, its prices, and a model."""
_MILLIONTHS: Final = "sum(CAST(floor({} * 1000000 + 0.5) AS HUGEINT))"
_SUMS: Final = ", ".join([*map(_MILLIONTHS.format, COSTS), *map("sum({})".format, COUNTS)])
_WORST: Final = "min({'less': -CASE WHEN unpruned <> 0 THEN cost / unpruned ELSE 1 END, 'session': session})"
_GROUPED: Final = (
    f"SELECT policy, prices, model, min(place), count(*), {_WORST}, {_SUMS} FROM found WHERE policy <> '' "
    "GROUP BY policy, prices, model"
)
_LOSSES: Final = (
    "SELECT policy, prices, model, lost, requests, count(*) FROM found WHERE policy <> '' "
    "GROUP BY policy, prices, model, lost, requests"
)
_COUNTS: Final = (
    "SELECT count(*) FILTER (failure <> ''), coalesce(sum(short), 0), coalesce(sum(skipped), 0), "
    "count(*) FILTER (policy IS NULL) FROM found"
)


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
    """Raise SettingsError if no rows are in a file of this name."""
    if path.suffix not in SUFFIXES:
        raise SettingsError(f"{path}: give a name that ends in {' or '.join(SUFFIXES)}")


def check_out(path: Path) -> None:
    """Raise SettingsError if rows cannot be written to this file."""
    check_suffix(path)
    if path.is_dir():
        raise SettingsError(f"{path}: is a folder; give the name of a file")


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
        database.execute(
            f"COPY (SELECT * FROM {json_rows('?')}) TO {_quoted(str(path))} (FORMAT parquet)", [literal(lines)]
        )


def json_rows(name: str) -> str:
    """Return the SQL of a table of rows in JSON lines."""
    columns = ", ".join(f"{column}: '{kind}'" for column, kind in COLUMNS.items())
    return f"read_json({name}, format = 'newline_delimited', columns = {{{columns}}})"


@dataclass(slots=True)
class CorpusReport:
    """Sums over all rows."""

    groups: dict[GroupName, GroupSums] = field(default_factory=dict)
    places: dict[tuple[str, str], int] = field(default_factory=dict)
    """The place of each policy and price in the table."""
    failed: int = 0
    """Recordings that could not be read, or not to their end."""
    short: int = 0
    """Conversations with too few requests to count."""
    skipped: int = 0
    """The number of damaged records."""

    def add(self, rows: Iterable[CorpusRow]) -> None:
        """Add the rows of one recording."""
        for row in rows:
            if row.policy:
                self.group((row.policy, row.prices, row.model), row.place).add(row)
            self.failed += bool(row.failure)
            self.short += row.short
            self.skipped += row.skipped

    def group(self, group: GroupName, place: int) -> GroupSums:
        """Return the sums of a group, new ones if there are none; the table shows it at this place."""
        policy, prices, _ = group
        self.places[policy, prices] = min(place, self.places.get((policy, prices), place))
        return self.groups.setdefault(group, GroupSums(policy, prices))

    def summaries(self) -> tuple[Summary, ...]:
        """Return one summary for each policy at each price, in the order in which they were asked for."""
        whole = {
            key: GroupSums(*key) for key, _ in sorted(self.places.items(), key=lambda item: (item[1], item[0]))
        }
        for (policy, prices, _), sums in self.groups.items():
            whole[policy, prices].merge(sums)
        return tuple(map(summary_of, whole.values()))

    def dollars(self, prices: str, token_prices: Mapping[str, float | None]) -> dict[str, tuple[float, float]]:
        """Return for each policy the dollars without and with it, over the models whose price is known."""
        found: dict[str, tuple[float, float]] = {}
        for (policy, at, model), sums in self.groups.items():
            price = token_prices.get(model)
            if at == prices and price is not None:
                before, after = found.get(policy, (0.0, 0.0))
                worth = price / MILLION
                found[policy] = before + worth * sums.sums["unpruned"], after + worth * sums.sums["cost"]
        return dict(sorted(found.items(), key=lambda item: self.places[item[0], prices]))


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "''") + "'"


def report_of(path: Path) -> CorpusReport:
    """Return the sums over one file of rows; only Parquet needs DuckDB."""
    if path.suffix == ".parquet":
        return report_files([path])
    report = CorpusReport()
    with path.open("rb") as file:
        try:
            report.add(msgspec.json.decode(line, type=CorpusRow) for line in file)
        except msgspec.MsgspecError as error:
            raise FormatError(f"{path}: these are no rows of `prunus replay --out`: {error}") from error
    return report


def report_files(files: Sequence[Path]) -> CorpusReport:
    """Return the sums over files of rows. Raises NoDuckDB, and FormatError if a file holds no rows."""
    report = CorpusReport()
    errors = engine_errors()
    with tempfile.TemporaryDirectory(prefix="prunus-") as folder, connect(folder) as database:
        try:
            database.execute(f"CREATE VIEW found AS {_rows_in(files)}")
            others = _fill(report, database)
        except errors as error:
            raise _no_rows(database, files, str(error).splitlines()[0]) from error
        if others:
            raise _no_rows(database, files, f"{counted(others, 'line')} of something else")
    return report


def _no_rows(database: Any, files: Sequence[Path], reason: str) -> FormatError:
    """Return an error that names the first file that begins with something else, if one does."""
    named = next((f"{path}: " for path in files if not _begins_with_rows(database, path)), "")
    return FormatError(f"{named}these are no rows of `prunus replay --out`: {reason}")


def _rows_in(files: Sequence[Path]) -> str:
    """Return the SQL of the rows in all files. DuckDB takes a list: thousands of tables would make it slow."""
    named: dict[str, list[str]] = {}
    for path in files:
        named.setdefault(path.suffix, []).append(_quoted(literal(path)))
    lists = {suffix: f"[{', '.join(names)}]" for suffix, names in named.items()}
    tables = [
        f"read_parquet({names})" if suffix == ".parquet" else json_rows(names) for suffix, names in lists.items()
    ]
    return " UNION ALL ".join(f"SELECT {', '.join(COLUMNS)} FROM {table}" for table in tables)


def _begins_with_rows(database: Any, path: Path) -> bool:
    try:
        [others] = database.execute(
            f"SELECT count(*) FILTER (policy IS NULL) FROM ({_rows_in([path])} LIMIT 1)"
        ).fetchone()
    except engine_errors():
        return False
    return not others


def _fill(report: CorpusReport, database: Any) -> int:
    """Add up the rows, and return the number of lines that are none."""
    for policy, prices, model, place, count, worst, *sums in database.execute(_GROUPED).fetchall():
        group = report.group((policy, prices, model), place)
        group.conversations, group.worst, group.worst_session = count, -worst["less"], worst["session"]
        group.sums.update(dict(zip((*COSTS, *COUNTS), map(int, sums), strict=True)))
    for policy, prices, model, lost, requests, count in database.execute(_LOSSES).fetchall():
        report.groups[policy, prices, model].losses[lost, requests] = count
    [counts] = database.execute(_COUNTS).fetchall()
    report.failed, report.short, report.skipped, others = map(int, counts)
    return int(others)
