"""Price rows by name: `read/write`, relative to uncached input."""

from __future__ import annotations

import re

from prunus.errors import SettingsError
from prunus.schedule.prices import NAMED_ROWS, Price


def price_row(text: str) -> Price:
    """The row of this name; any other pair of numbers is a row with a cache of five minutes."""
    known = NAMED_ROWS.get(text)
    if known is not None:
        return known
    found = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)/(\d+(?:\.\d+)?|\.\d+)", text)
    if found is None:
        raise SettingsError(f"no price row {text!r}; give READ/WRITE, or one of {', '.join(NAMED_ROWS)}")
    return Price(float(found[1]), float(found[2]), 300, 0)
