"""Taxes."""

from shop.pricing import percent


class Taxes:
    """Rates in percent by country and category; a category without a rate has that of its parent."""

    def __init__(self, catalog, included=True):
        self.catalog, self.included = catalog, included
        self._rates = {}

    def set(self, country, rate, category=None):
        self._rates[country, category] = rate

    def rate(self, country, category):
        """The rate of the nearest category that has one. Raises LookupError."""
        for one in (None, *self.catalog.lineage(category)):
            if (country, one) in self._rates:
                return self._rates[country, one]
        raise LookupError(f"no tax for {country}")

    def split(self, country, lines):
        """Net, tax by rate and gross of lines, which are pairs of sku and cents."""
        sums = {}
        for sku, cents in lines:
            rate = self.rate(country, self.catalog.product(sku).category)
            sums[rate] = sums.get(rate, 0) + cents
        taxes = {}
        for rate, cents in sorted(sums.items()):
            taxes[rate] = cents - _net(cents, rate) if self.included else percent(cents, rate)
        whole = sum(sums.values())
        tax = sum(taxes.values())
        return (whole - tax, taxes, whole) if self.included else (whole, taxes, whole + tax)


def _net(cents, rate):
    """What is left of a price without the tax that it contains, rounded half up."""
    return cents - percent(cents, rate)
