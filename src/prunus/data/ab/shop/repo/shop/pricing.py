"""Discounts."""


def percent(cents, share):
    """A share in percent, rounded half up."""
    return round(cents * share / 100)


class Discount:
    """Lowers the price of lines: by percent, by an amount per piece, or every n-th piece free."""

    def __init__(self, name, *, share=0, off=0, every=0, category=None, least=1, first=None, last=None, adds=False):
        self.name, self.share, self.off, self.every = name, share, off, every
        self.category, self.least = category, least
        self.first, self.last, self.adds = first, last, adds

    def applies(self, product, count, day, catalog):
        """Whether it counts for a line on a day; both days are included."""
        if count < self.least:
            return False
        if self.first is not None and day < self.first:
            return False
        if self.last is not None and day >= self.last:
            return False
        return self.category is None or self.category in catalog.lineage(product.category)

    def value(self, price, count):
        """What a line gets cheaper."""
        saved = percent(price * count, self.share) + self.off * count
        if self.every:
            saved += count // self.every * price
        return saved


class Pricing:
    """Prices of lines."""

    def __init__(self, catalog, discounts=()):
        self.catalog, self.discounts = catalog, list(discounts)

    def line(self, sku, count, day):
        """The full price, the discount and its names for a line."""
        product = self.catalog.product(sku)
        price = product.price(day)
        fitting = [d for d in self.discounts if d.applies(product, count, day, self.catalog)]
        alone = [d for d in fitting if not d.adds]
        chosen = alone[-1:]
        chosen += [d for d in fitting if d.adds]
        saved = sum(d.value(price, count) for d in chosen)
        return price * count, saved, [d.name for d in chosen]
