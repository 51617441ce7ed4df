"""Costs in dollars, where the price of the model is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from prunus.numbers import short
from prunus.schedule.dollars import tariff_of
from prunus.settings import Settings

_MILLION = 1_000_000


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

    @property
    def exact(self) -> str:
        """The same with tenths of a cent, for a single request."""
        if self.unpriced or abs(self.dollars) >= 1:
            return str(self)
        return f"{'-' if self.dollars <= -0.0005 else ''}${abs(self.dollars):.3f}"

    def __str__(self) -> str:
        """The dollars; without any price the tokens, and with some of them both."""
        if not self.unpriced:
            return dollars(self.dollars)
        rest = f"{short(round(self.unpriced))} tokens"
        return f"{dollars(self.dollars)} + {rest}" if self.dollars else rest


def bill(settings: Settings, costs: Iterable[tuple[str, float]]) -> Amount:
    """Return the bill for costs, each with its model."""
    total = Amount()
    for model, cost in costs:
        tariff = tariff_of(model)
        known = tariff is not None
        price = tariff.input / _MILLION if tariff is not None else 0.0
        total += Amount(cost, cost * price, 0.0 if known else cost)
    return total


def dollars(amount: float) -> str:
    """Return an amount of money: $212.40, -$3.10, <$0.01."""
    if 0 < abs(amount) < 0.005:
        return "<$0.01" if amount > 0 else ">-$0.01"
    return f"{'-' if amount < 0 else ''}${abs(amount):,.2f}"
