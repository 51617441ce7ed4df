"""Counts dollars while requests pass by, and says when no more may be spent."""

from __future__ import annotations

import threading

from prunus.ab.exchanges import RelayedExchange
from prunus.schedule.dollars import Tariff, tariff_of

OwnTariffs = tuple[tuple[str, Tariff], ...]


class Meter:
    """What a trial has spent so far, against its budget. Several threads may use it.

    A request is admitted if its model has a price and the budget is not used up. Requests that are under way when
    the budget runs out are still paid for, so the sum can end a little above it.
    """

    def __init__(self, budget: float, spent: float = 0.0, own: OwnTariffs = ()) -> None:
        self._budget = budget
        self._spent = spent
        self._own = own
        self._lock = threading.Lock()
        self._refusal = ""

    @property
    def spent(self) -> float:
        """The dollars of all requests so far, those of earlier calls included."""
        return self._spent

    @property
    def refusal(self) -> str:
        """Why a request was refused; empty as long as none was."""
        return self._refusal

    def admit(self, model: str) -> str:
        """Why a request to a model may not be sent; empty if it may."""
        with self._lock:
            if model and tariff_of(model, self._own) is None:
                self._refusal = f"no dollar price is known for the model {model}: give one with --price"
            elif model and self._spent >= self._budget:
                self._refusal = f"the budget of ${self._budget:.2f} is used up"
            return self._refusal

    def charge(self, exchange: RelayedExchange) -> float:
        """Add what an exchange cost, and return it."""
        cost = dollars_of(exchange, self._own)
        with self._lock:
            self._spent += cost
        return cost


def dollars_of(exchange: RelayedExchange, own: OwnTariffs = ()) -> float:
    """What an exchange cost; nothing if the provider counted nothing."""
    tariff = tariff_of(exchange.model, own)
    if exchange.usage is None or tariff is None:
        return 0.0
    return tariff.dollars(exchange.usage, exchange.long_writes)
