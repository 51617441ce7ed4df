"""Costs in dollars as far as prices are known, and the bill of some requests with and without pruning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from prunus.schedule.dollars import Money
from prunus.schedule.prices import Price
from prunus.spending import DayTotals
from prunus.store.records import Totals
from prunus.text.numbers import dollars, short

_ANSWER: Final = 750
"""What the answer costs in which an agent asks again: 150 tokens, at five times the price of input."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A cost in uncached input tokens, and in dollars as far as prices are known."""

    cost: float = 0.0
    dollars: float = 0.0
    unpriced: float = 0.0
    """The part of the cost that no price is known for."""

    @property
    def priced(self) -> bool:
        """Whether a price is known for some of the cost."""
        return self.cost != self.unpriced

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.cost + other.cost, self.dollars + other.dollars, self.unpriced + other.unpriced)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.cost - other.cost, self.dollars - other.dollars, self.unpriced - other.unpriced)

    def at_mean_price(self, cost: float) -> Amount:
        """Return another cost at the mean price of this one; without any price it stays in tokens."""
        if not self.priced:
            return Amount(cost, 0.0, cost)
        return Amount(cost, cost * self.dollars / (self.cost - self.unpriced))

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


def amount_of(costs: Iterable[tuple[str, float]], money: Money) -> Amount:
    """Return the sum of costs, each given with its model."""
    total = Amount()
    for model, cost in costs:
        price = token_price(money, model)
        total += Amount(cost, 0.0, cost) if price is None else Amount(cost, price * cost)
    return total


@lru_cache(maxsize=1024)
def token_price(money: Money, model: str) -> float | None:
    """The dollars of an uncached input token of a model; None if no price is known."""
    return money.of(model)


@dataclass(frozen=True, slots=True)
class Bill:
    """The cost of input, with and without pruning."""

    paid: Amount = Amount()
    unpruned: Amount = Amount()
    of_breaks: Amount = Amount()
    """The part of `paid` that pays for cache breaks by Prunus."""
    asking: Amount = Amount()
    """The cost of requests in which agents asked for cut content again."""
    unknown: tuple[str, ...] = ()
    """The models without a known price, which sums of dollars leave out."""

    @property
    def priced(self) -> bool:
        """Whether the bill can be given in dollars: they are wanted, and the price of some model is known."""
        return self.unpruned.priced

    @property
    def saved(self) -> Amount:
        """The net savings, after the cost of cache breaks and of asking again."""
        return self.unpruned - self.paid - self.asking


def bill_of(rows: Iterable[DayTotals], money: Money, asking: float = 0.0) -> Bill:
    """Return the bill of some exchanges.

    `asking` is the cost of asking again in uncached input tokens. It is paid at the mean price of the models.
    """
    every = list(rows)
    unpruned = amount_of(((row.model, row.cost_unpruned) for row in every), money)
    unknown = {row.model or "no name" for row in every if row.requests and token_price(money, row.model) is None}
    return Bill(
        amount_of(((row.model, row.cost) for row in every), money),
        unpruned,
        amount_of(((row.model, row.cost_of_breaks) for row in every), money),
        unpruned.at_mean_price(asking),
        tuple(sorted(unknown)),
    )


def cost_of_asking(totals: Totals, rows: Sequence[DayTotals], price_of: Callable[[str], Price]) -> float:
    """Return the cost of asking for cut content again, in uncached input tokens; `rows` are the sums by model.

    Each time, one more request of average size was sent to the model that cost most, and the part was written to
    the cache again.
    """
    tried, context = totals.experience.total, totals.tokens_after / max(1, totals.requests)
    price = price_of(max(rows, key=lambda row: row.cost_unpruned, default=DayTotals("")).model)
    return tried.asked * (context * price.read + _ANSWER) + tried.tokens * price.write


def bill_record(bill: Bill) -> dict[str, Any] | None:
    """The dollars of a bill as plain data, for programs; None if there is no price."""
    if not bill.priced:
        return None
    return {
        "cost": round(bill.paid.dollars, 6),
        "unpruned": round(bill.unpruned.dollars, 6),
        "cost_of_breaks": round(bill.of_breaks.dollars, 6),
        "cost_of_asking_again": round(bill.asking.dollars, 6),
        "saved": round(bill.saved.dollars, 6),
        "unknown": list(bill.unknown),
    }
