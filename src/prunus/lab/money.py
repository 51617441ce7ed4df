"""Costs in dollars, where somebody says what a million uncached input tokens cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from prunus.errors import SettingsError

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Money:
    """Prices by a pattern on the model's name; the first that matches counts."""

    prices: tuple[tuple[str, float], ...] = ()

    @classmethod
    def read(cls, given: Iterable[str]) -> Money:
        """From words such as `3`, for every model, or `claude-opus*=5`."""
        prices = []
        for text in given:
            pattern, _, price = text.rpartition("=")
            try:
                dollars = float(price)
            except ValueError:
                dollars = -1.0
            if not 0 <= dollars < float("inf"):
                raise SettingsError(f"--input-price {text}: give USD, or PATTERN=USD such as 'claude*=3'")
            prices.append((pattern or "*", dollars))
        # A price for one family counts before one for all, in whichever order they were given.
        return cls(tuple(sorted(prices, key=lambda price: price[0] == "*")))

    def of(self, model: str) -> float | None:
        """Dollars for one uncached input token of a model."""
        name = model.lower()
        found = (price for pattern, price in self.prices if fnmatchcase(name, pattern.lower()))
        price = next(found, None)
        return None if price is None else price / _MILLION
