"""Parse numbers from untrusted text, and format counts for people."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = 18
_MOST: Final = 10**_DIGITS


def as_number(digits: str) -> int:
    """Return the value of a digit string with an optional sign; strings over 18 characters become ±10**18.

    Python raises ValueError for thousands of digits, and one odd tool result must not stop the pruning of a
    conversation.
    """
    if len(digits) <= _DIGITS:
        return int(digits)
    return -_MOST if digits.lstrip().startswith("-") else _MOST


def short(count: int) -> str:
    """Format a count in few characters: 950, 7.5K, 16K, 1.2M."""
    if abs(count) < 1_000:
        return str(count)
    for unit, size in (("K", 1_000), ("M", 1_000_000)):
        if abs(count) < 999_950 * size // 1_000:
            return f"{count / size:.1f}".removesuffix(".0") + unit
    return f"{count / 1_000_000_000:.1f}".removesuffix(".0") + "G"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `2,000 files`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def percent(part: float, whole: float) -> str:
    """A share in whole percent; a small share is not rounded to nothing, nor a large one to everything."""
    if not whole or not part:
        return "0%"
    share = 100 * part / whole
    if share < 1:
        return "<1%"
    return ">99%" if 99 < share < 100 else f"{share:.0f}%"


def dollars(amount: float) -> str:
    """An amount of money: $212.40, -$3.10, <$0.01."""
    if 0 < abs(amount) < 0.005:
        return "<$0.01" if amount > 0 else ">-$0.01"
    return f"{'-' if amount < 0 else ''}${abs(amount):,.2f}"
