"""Why tokens were written to the prompt cache, as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from prunus.dashboard.markup import Markup, element
from prunus.dashboard.table import Column, bar, section, table
from prunus.dashboard.wording import tokens
from prunus.report.cache_misses import REASONS, writes
from prunus.settings import Settings
from prunus.spending import DayTotals
from prunus.text.numbers import dollars, percent

_COLUMNS: Final = (
    Column("Written because"),
    Column("Requests", number=True, spare=True),
    Column("Tokens", number=True),
    Column("Share", number=True),
    Column("Price", number=True),
    Column("Of all that was written", long=True, spare=True),
)


def cache_section(rows: Iterable[DayTotals], settings: Settings) -> Markup:
    """Return the section about what the provider had to write: new messages, and what it missed."""
    found = writes(rows, settings.money(), settings.price_of)
    whole = sum(one.tokens for one in found)
    shown = [
        (
            REASONS[one.reason],
            f"{one.requests:,}",
            tokens(one.tokens),
            percent(one.tokens, whole),
            "-" if one.dollars is None else dollars(one.dollars),
            bar(one.tokens, whole, f"{REASONS[one.reason]}: {percent(one.tokens, whole)}"),
        )
        for one in found
    ]
    note = element("span", "By the provider's own count. What is not new was in the cache, or should have been.")
    return section(
        "Why tokens were written to the cache",
        table("Why tokens were written to the cache", _COLUMNS, shown, empty="Nothing was written yet."),
        note=note,
    )
