"""Numbers out of texts that anybody may have written, and numbers that are read at a glance."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = 18
_MOST: Final = 10**_DIGITS


def as_number(digits: str) -> int:
    """The value of some digits, with or without a sign; where they are very many, one beyond all that is counted.

    Python refuses to read thousands of digits, and one odd result must not keep a conversation from being pruned.
    """
    if len(digits) <= _DIGITS:
        return int(digits)
    return -_MOST if digits.lstrip().startswith("-") else _MOST


def short(count: int) -> str:
    """A count in few characters: 950, 7.5K, 16K, 1.2M."""
    if abs(count) < 1_000:
        return str(count)
    for unit, size in (("K", 1_000), ("M", 1_000_000)):
        if abs(count) < 999_950 * size // 1_000:
            return f"{count / size:.1f}".removesuffix(".0") + unit
    return f"{count / 1_000_000_000:.1f}".removesuffix(".0") + "G"
