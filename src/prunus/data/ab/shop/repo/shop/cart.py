"""Carts."""


class Cart:
    """What a customer wants."""

    def __init__(self, pricing, most=99):
        self.pricing, self.most = pricing, most
        self._counts = {}
        self.coupon = None

    def add(self, sku, count=1):
        """Add pieces; those of one product are one line."""
        self.pricing.catalog.product(sku)
        total = self._counts.get(sku, 0) + count
        if count < 1 or total > self.most:
            raise ValueError(f"{total} of {sku}")
        self._counts[sku] = total

    def change(self, sku, count):
        """Set the count of a line; 0 removes it."""
        if sku not in self._counts:
            raise KeyError(sku)
        if count == 0:
            del self._counts[sku]
        elif 0 < count <= self.most:
            self._counts[sku] = count
        else:
            raise ValueError(count)

    def lines(self):
        """Pairs of sku and count, in the order in which they came."""
        return list(self._counts.items())

    def totals(self, day):
        """Lines with what they cost after discounts and the coupon: sku, count, cents."""
        priced = []
        for sku, count in self.lines():
            full, saved, _ = self.pricing.line(sku, count, day)
            priced.append((sku, count, full - saved))
        if self.coupon is None:
            return priced
        whole = sum(cents for _, _, cents in priced)
        off = self.coupon.off(whole)
        shares = spread(off, [cents for _, _, cents in priced])
        return [(sku, count, cents - share) for (sku, count, cents), share in zip(priced, shares)]

    def sum(self, day):
        return sum(cents for _, _, cents in self.totals(day))


class Coupon:
    """Lowers the whole cart: by percent or by an amount, from some sum on."""

    def __init__(self, code, share=0, amount=0, least=0):
        self.code, self.share, self.amount, self.least = code, share, amount, least

    def off(self, whole):
        if whole <= self.least:
            return 0
        from shop.pricing import percent

        return percent(whole, self.share) + self.amount


def spread(amount, weights):
    """An amount in shares by weight that sum to it; the largest remainders get the cents that are left."""
    total = sum(weights)
    if total == 0:
        return [0] * len(weights)
    shares = [amount * weight // total for weight in weights]
    rest = [(-(amount * weight % total), index) for index, weight in enumerate(weights)]
    shares[-1] += amount - sum(shares)
    return shares
