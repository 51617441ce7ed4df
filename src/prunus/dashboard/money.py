"""Costs in dollars, where the price of the model is known, and in tokens elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from prunus.schedule.dollars import Money
from prunus.settings import Settings
from prunus.text.numbers import dollars, short


@dataclass(frozen=True, slots=True)
class Amount:
    """A cost in uncached input tokens, and in dollars as far as prices are known."""

    cost: float = 0.0
    dollars: float = 0.0
    unpriced: float = 0.0
    """The part of the cost that no price is known for."""

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.cost + other.cost, self.dollars + other.dollars, self.unpriced + other.unpriced)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.cost - other.cost, self.dollars - other.dollars, self.unpriced - other.unpriced)

    def __str__(self) -> str:
        """The dollars; without any price the tokens, and with some prices both."""
        if not self.unpriced:
            return dollars(self.dollars)
        rest = f"{short(round(self.unpriced))} tokens"
        return f"{dollars(self.dollars)} + {rest}" if self.dollars else rest

    @property
    def exact(self) -> str:
        """The same with tenths of a cent, for a single request."""
        if self.unpriced or abs(self.dollars) >= 1:
            return str(self)
        return f"{'-' if self.dollars <= -0.0005 else ''}${abs(self.dollars):.3f}"


def amount(settings: Settings, costs: Iterable[tuple[str, float]]) -> Amount:
    """Return the sum of costs, each given with its model."""
    money, total = settings.money(), Amount()
    for model, cost in costs:
        price = _price(money, model)
        total += Amount(cost, 0.0, cost) if price is None else Amount(cost, price * cost)
    return total


@lru_cache(maxsize=1024)
def _price(money: Money, model: str) -> float | None:
    return money.of(model)
