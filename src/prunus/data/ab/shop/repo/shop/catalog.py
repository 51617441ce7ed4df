"""Products."""

import bisect


class UnknownProduct(KeyError):
    """No product of that name."""


class Product:
    """Something to sell; `weight` in grams."""

    def __init__(self, sku, name, category, weight=0):
        self.sku, self.name, self.category, self.weight = sku, name, category, weight
        self._days, self._prices = [], []

    def set_price(self, day, cents):
        """The price from a day on."""
        if cents < 0:
            raise ValueError("a price is not negative")
        at = bisect.bisect_left(self._days, day)
        if at < len(self._days) and self._days[at] == day:
            self._prices[at] = cents
        else:
            self._days.insert(at, day)
            self._prices.insert(at, cents)

    def price(self, day):
        """The price on a day. Raises LookupError before the first."""
        at = bisect.bisect_left(self._days, day)
        if at == 0:
            raise LookupError(f"{self.sku} has no price on {day}")
        return self._prices[at - 1]


class Catalog:
    """All products and categories."""

    def __init__(self):
        self._products = {}
        self._parents = {}

    def category(self, name, parent=None):
        """Add a category below another."""
        if parent is not None and parent not in self._parents:
            raise KeyError(parent)
        self._parents[name] = parent

    def add(self, product):
        if product.category not in self._parents:
            raise KeyError(product.category)
        self._products[product.sku] = product
        return product

    def product(self, sku):
        try:
            return self._products[sku]
        except KeyError:
            raise UnknownProduct(sku) from None

    def lineage(self, category):
        """A category and those above it, the nearest first."""
        found = []
        while category is not None:
            found.append(category)
            category = self._parents[category]
        return found

    def within(self, category):
        """The products of a category and of those below it, by name."""
        return sorted(
            (p for p in self._products.values() if category == p.category), key=lambda p: (p.name, p.sku)
        )
