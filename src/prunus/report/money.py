"""The bill in dollars, with and without pruning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from prunus.reuse.experience import Tried
from prunus.schedule.dollars import Money
from prunus.schedule.prices import Price
from prunus.spending import DayTotals

_ANSWER: Final = 750
"""What the answer costs in which an agent asks again: 150 tokens, at five times the price of input."""


@dataclass(frozen=True, slots=True)
class Bill:
    """Dollars of input, over all models with a known price."""

    cost: float = 0.0
    unpruned: float = 0.0
    of_breaks: float = 0.0
    asking: float = 0.0
    """The dollars of requests in which agents asked for cut content again."""
    unknown: tuple[str, ...] = ()
    """The models without a known price, which the sums leave out."""

    @property
    def saved(self) -> float:
        """The net savings, after the cost of cache breaks and of asking again."""
        return self.unpruned - self.cost - self.asking


def bill_of(rows: Iterable[DayTotals], money: Money, asking: float = 0.0) -> Bill | None:
    """The bill of some exchanges; None if dollars are not wanted, or no price of their models is known.

    `asking` is the cost of asking again in uncached input tokens. It is paid at the mean price of the models.
    """
    cost = unpruned = of_breaks = priced = 0.0
    unknown: dict[str, None] = {}
    for row in rows:
        price = money.of(row.model)
        if price is None:
            if row.requests:
                unknown[row.model or "no name"] = None
            continue
        cost += price * row.cost
        unpruned += price * row.cost_unpruned
        of_breaks += price * row.cost_of_breaks
        priced += row.cost_unpruned
    if not money.shown or not priced:
        return None
    return Bill(cost, unpruned, of_breaks, asking * unpruned / priced, tuple(sorted(unknown)))


def cost_of_asking(tried: Tried, context: float, price: Price) -> float:
    """Return the cost of asking for cut content again, in uncached input tokens.

    Each time, one more request of `context` tokens was sent, and the part was written to the cache again.
    """
    return tried.asked * (context * price.read + _ANSWER) + tried.tokens * price.write


def bill_record(bill: Bill | None) -> dict[str, Any] | None:
    """A bill as plain data, for programs."""
    if bill is None:
        return None
    return {
        "cost": round(bill.cost, 6),
        "unpruned": round(bill.unpruned, 6),
        "cost_of_breaks": round(bill.of_breaks, 6),
        "cost_of_asking_again": round(bill.asking, 6),
        "saved": round(bill.saved, 6),
        "unknown": list(bill.unknown),
    }
