"""Charts: the server puts their numbers into the page, and our script draws them with uPlot.

Each chart has a table with the same numbers on its page, for those who cannot see it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from prunus.dashboard.markup import Markup, element
from prunus.dashboard.money import amount
from prunus.report.cache_misses import REASONS
from prunus.settings import Settings
from prunus.store.records import Exchange
from prunus.text.numbers import short

Numbers = Mapping[str, Sequence[Any]]


def chart(kind: str, label: str, numbers: Numbers) -> Markup:
    """Return the place of a chart; `kind` is the name of the function that draws it."""
    return element(
        "div", class_="chart", role="img", aria_label=label, data_kind=kind, data_numbers=json.dumps(numbers)
    )


def request_numbers(exchanges: Sequence[Exchange], settings: Settings) -> Numbers:
    """Return a column of numbers for each kind of tokens of answered requests, and the flushes among them."""
    known = [one for one in exchanges if one.usage is not None]
    usages = [one.usage for one in known if one.usage is not None]
    return {
        "request": [one.request for one in known],
        "cached": [usage.cache_read for usage in usages],
        "written": [usage.cache_write for usage in usages],
        "new": [usage.input for usage in usages],
        "unpruned": [one.tokens_before for one in known],
        "missed": [
            f"{short(one.missed)}: {REASONS.get(one.missed_for, one.missed_for)}" if one.missed_for else None
            for one in known
        ],
        "flush": [
            None
            if one.flush is None
            else f"{one.flush.reason} ({amount(settings, [(one.model, one.cost_of_break)]).exact})"
            for one in known
        ],
    }
