"""Numbers that are read at a glance."""

from __future__ import annotations

__all__ = ["percent", "short"]


def short(count: int) -> str:
    """A count in few characters: 950, 7.5K, 16K, 1.2M."""
    if abs(count) < 1_000:
        return str(count)
    for unit, size in (("K", 1_000), ("M", 1_000_000)):
        if abs(count) < 999_950 * size // 1_000:
            return f"{count / size:.1f}".removesuffix(".0") + unit
    return f"{count / 1_000_000_000:.1f}".removesuffix(".0") + "G"


def percent(part: int, whole: int) -> str:
    """A share in whole percent; small ones are not rounded to nothing, nor large ones to everything."""
    if not whole or not part:
        return "0%"
    share = 100 * part / whole
    if share < 1:
        return "<1%"
    return ">99%" if 99 < share < 100 else f"{share:.0f}%"
