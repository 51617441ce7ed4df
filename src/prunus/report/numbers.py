"""Numbers that are read at a glance."""

from __future__ import annotations

from prunus.numbers import short

__all__ = ["percent", "short"]


def percent(part: int, whole: int) -> str:
    """A share in whole percent; small ones are not rounded to nothing, nor large ones to everything."""
    if not whole or not part:
        return "0%"
    share = 100 * part / whole
    if share < 1:
        return "<1%"
    return ">99%" if 99 < share < 100 else f"{share:.0f}%"
