"""Fields of recorded JSON, read without trusting their types.

A recording may be cut or edited by hand, so a field of the wrong type reads
as an empty one instead of raising.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

_MILLISECONDS = 1e11  # as seconds this would be the year 5138


def mapping(value: Any) -> Json:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[Json]:
    """The objects of a list, leaving out whatever else is in it."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """The string, or an empty one."""
    return value if isinstance(value, str) else ""


def unix_time(value: Any) -> float | None:
    """Seconds since 1970 from an ISO date (UTC if it names no zone), seconds or milliseconds."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value / 1000 if value > _MILLISECONDS else float(value)
    try:
        moment = datetime.fromisoformat(text(value))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
