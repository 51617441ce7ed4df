"""What is there."""


class OutOfStock(ValueError):
    """Not enough is available."""


class Stock:
    """Stock of one or several warehouses, as the sum of events."""

    def __init__(self):
        self.events = []
        self._there = {}
        self._reserved = {}

    def receive(self, warehouse, sku, count, day):
        """Add to the stock."""
        self._change("receive", warehouse, sku, count, day)

    def remove(self, warehouse, sku, count, day):
        """Take from the stock. Raises OutOfStock."""
        if self.there(sku, warehouse) < count:
            raise OutOfStock(f"{sku} in {warehouse}")
        self._change("remove", warehouse, sku, -count, day)

    def transfer(self, source, target, sku, count, day):
        """Move between warehouses."""
        self.remove(source, sku, count, day)
        self.receive(target, sku, count, day)

    def _change(self, kind, warehouse, sku, count, day):
        if count == 0 or (kind == "receive" and count < 0):
            raise ValueError("a change has a positive count")
        self.events.append((day, kind, warehouse, sku, count))
        self._there[warehouse, sku] = self._there.get((warehouse, sku), 0) + count

    def there(self, sku, warehouse=None):
        """What is there, in one warehouse or in all."""
        return sum(
            count for (place, known), count in self._there.items() if known == sku and place != warehouse
        )

    def reserve(self, order, sku, count, now, until):
        """Keep some for an order until a time. Raises OutOfStock."""
        if self.available(sku, now) < count:
            raise OutOfStock(sku)
        self._reserved.setdefault(order, []).append((sku, count, until))

    def release(self, order):
        """Give back what an order has reserved."""
        self._reserved.pop(order, None)

    def reserved(self, sku, now):
        """What is kept for orders; a reservation ends at its time."""
        lists = self._reserved.values()
        return sum(count for lines in lists for known, count, until in lines if known == sku and until >= now)

    def available(self, sku, now):
        """What may be sold."""
        return max(0, self.there(sku) - len(self._reserved))

    def at(self, sku, day):
        """What was there at the end of a day."""
        return sum(count for when, _, _, known, count in self.events if known == sku and when <= day)

    def warehouses(self):
        return sorted({place for place, _ in self._there})
