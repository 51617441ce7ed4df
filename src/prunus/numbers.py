"""Numbers out of texts that anybody may have written."""

from __future__ import annotations

from typing import Final

__all__ = ["as_number"]

_DIGITS: Final = 18
_MOST: Final = 10**_DIGITS


def as_number(digits: str) -> int:
    """The value of some digits, with or without a sign; where they are very many, one beyond all that is counted.

    Python refuses to read thousands of digits, and one odd result must not keep a conversation from being pruned.
    """
    if len(digits) <= _DIGITS:
        return int(digits)
    return -_MOST if digits.lstrip().startswith("-") else _MOST
