"""Exchange rates by day."""

import bisect
from decimal import ROUND_HALF_EVEN, Decimal

from ledger.money import Money, digits_of


class NoRate(LookupError):
    """No rate is known for a day."""


class Rates:
    """Rates from one currency to another, from some day on."""

    def __init__(self, base="EUR"):
        self.base = base
        self._rates = {}

    def set(self, source, target, day, rate):
        """Note what one unit of `source` is worth in `target` from a day on."""
        rate = Decimal(str(rate))
        if rate <= 0:
            raise ValueError("a rate must be positive")
        days, values = self._rates.setdefault((source, target), ([], []))
        at = bisect.bisect_left(days, day)
        if at < len(days) and days[at] == day:
            values[at] = rate
        else:
            days.insert(at, day)
            values.insert(at, rate)

    def _direct(self, source, target, day):
        days, values = self._rates.get((source, target), ([], []))
        at = bisect.bisect_left(days, day)
        return values[at - 1] if at else None

    def _either(self, source, target, day):
        rate = self._direct(source, target, day)
        if rate is not None:
            return rate
        inverse = self._direct(target, source, day)
        return None if inverse is None else 1 / inverse

    def rate(self, source, target, day):
        """The rate on a day: direct, inverse, or over the base currency."""
        if source == target:
            return Decimal(1)
        rate = self._either(source, target, day)
        if rate is not None:
            return rate
        first = self._either(source, self.base, day)
        second = self._either(self.base, target, day)
        if first is None or second is None:
            raise NoRate(f"{source} to {target} on {day}")
        return first * second

    def convert(self, amount, target, day):
        """An amount in another currency."""
        rate = self.rate(amount.currency, target, day)
        shift = digits_of(amount.currency) - digits_of(target)
        exact = Decimal(amount.units) * rate * Decimal(10) ** shift
        return Money(int(exact.quantize(Decimal(1), rounding=ROUND_HALF_EVEN)), target)
