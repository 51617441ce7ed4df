"""The results of a corpus as rows: one for each conversation, policy and price.

A recording that could not be read, or of which something was left out, has one more row without a policy, so that
counts of failures are merged like all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Final

from prunus.lab.run import Measured, Measurement


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
_EMPTY: Final[dict[str, Any]] = {
    field.name: {"str": "", "int": 0, "float": 0.0}[str(field.type)]
    for field in fields(Measurement)
    if field.default is MISSING
}


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
