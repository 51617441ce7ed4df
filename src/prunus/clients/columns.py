"""The columns of a trace by their usual names; capitals, `_` and `-` make no difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from prunus.clients.recorded_file import text, unix_time

SESSION: Final = ("sessionid", "conversationid", "threadid", "chatid", "traceid", "session", "conversation")
"""Columns that name the session of a row, in the order in which they are asked."""
TIME: Final = ("timestamp", "time", "createdat", "starttime", "startedat", "created", "date")
MODEL: Final = ("model", "modelname", "modelid")


def session_of(row: Mapping[str, Any]) -> str | None:
    """The name of the session that a row belongs to; None if no column says it."""
    value = _first(row, SESSION)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None


def time_of(row: Mapping[str, Any]) -> float | None:
    """The Unix time of a row; None if no column says it."""
    return unix_time(_first(row, TIME))


def model_of(row: Mapping[str, Any]) -> str:
    """The model of a row; empty if no column says it."""
    return text(_first(row, MODEL))


def without_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row without the columns of its session, time and model."""
    return {name: value for name, value in row.items() if plain(name) not in (*SESSION, *TIME, *MODEL)}


def plain(column: str) -> str:
    """The name of a column as the lists of this module spell it."""
    return column.replace("_", "").replace("-", "").lower()


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value of the first of these columns that the row has."""
    known = {plain(column): value for column, value in row.items() if value is not None}
    return next((known[name] for name in names if name in known), None)
