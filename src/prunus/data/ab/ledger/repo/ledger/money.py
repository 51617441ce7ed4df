"""Exact amounts of money."""

from decimal import ROUND_HALF_EVEN, Decimal

DIGITS = {"JPY": 0, "KWD": 3}
"""Digits behind the point of currencies that do not have two."""


class CurrencyMismatch(ValueError):
    """Two amounts of different currencies were combined."""


def digits_of(currency):
    """The digits behind the point of a currency."""
    return DIGITS.get(currency, 2)


class Money:
    """An amount in minor units, such as cents. Values never change."""

    __slots__ = ("currency", "units")

    def __init__(self, units, currency):
        if not isinstance(units, int):
            raise TypeError("units must be an int")
        self.units = units
        self.currency = currency

    @classmethod
    def parse(cls, text, currency):
        """Read an amount such as `-1,234.50`; a sign in brackets `(12.00)` is negative too."""
        text = text.strip().replace(",", "").replace(" ", "")
        negative = text.startswith("(") and text.endswith(")") and "-" in text
        number = Decimal(text.strip("()"))
        scale = Decimal(10) ** digits_of(currency)
        units = int((number * scale).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))
        return cls(-units if negative else units, currency)

    def _same(self, other):
        if self.currency != other.currency:
            raise CurrencyMismatch(f"{self.currency} and {other.currency}")

    def __add__(self, other):
        self._same(other)
        return Money(self.units + other.units, self.currency)

    def __sub__(self, other):
        self._same(other)
        return Money(self.units - other.units, self.currency)

    def __neg__(self):
        return Money(-self.units, self.currency)

    def __eq__(self, other):
        return isinstance(other, Money) and (self.units, self.currency) == (other.units, other.currency)

    def __hash__(self):
        return hash((self.units, self.currency))

    def __lt__(self, other):
        self._same(other)
        return self.units < other.units

    def __repr__(self):
        return f"Money({self})"

    def __str__(self):
        digits = digits_of(self.currency)
        sign = "-" if self.units < 0 else ""
        whole, rest = divmod(self.units, 10**digits)
        whole = abs(whole)
        text = f"{sign}{whole:,}"
        return f"{text}.{rest:0{digits}d} {self.currency}" if digits else f"{text} {self.currency}"

    def times(self, factor):
        """The amount times a number, rounded half to even."""
        exact = Decimal(self.units) * Decimal(str(factor))
        return Money(int(exact.quantize(Decimal(1), rounding=ROUND_HALF_EVEN)), self.currency)

    def allocate(self, weights):
        """Split by weights without losing a unit; the first shares get what is left over, one unit each."""
        total = sum(weights)
        if total <= 0:
            raise ValueError("weights must have a positive sum")
        sign = -1 if self.units < 0 else 1
        shares = [abs(self.units) // total * weight for weight in weights]
        left = abs(self.units) - sum(shares)
        for index in range(len(shares)):
            if left == 0:
                break
            if weights[index]:
                shares[index] += 1
                left -= 1
        return [Money(sign * share, self.currency) for share in shares]
