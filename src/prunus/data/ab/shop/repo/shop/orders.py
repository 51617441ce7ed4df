"""Orders."""

from datetime import timedelta

from shop.shipping import parcels

NEXT = {
    "placed": {"paid", "cancelled"},
    "paid": {"shipped", "cancelled"},
    "shipped": {"delivered"},
    "delivered": {"returned"},
    "cancelled": set(),
    "returned": set(),
}
RETURN_DAYS = 30


class BadStep(ValueError):
    """A step that an order cannot take."""


class Order:
    def __init__(self, number, lines, day):
        self.number, self.lines, self.day = number, lines, day
        self.state = "placed"
        self.log = [("placed", day)]
        self.parcels = []

    @property
    def sum(self):
        return sum(cents for _, _, cents in self.lines)

    def since(self, state):
        """The day on which the order came into a state, or None."""
        return next((day for known, day in self.log if known == state), None)


class Orders:
    """All orders, and what they do to the stock."""

    def __init__(self, stock, hold_days=3):
        self.stock, self.hold_days = stock, hold_days
        self._orders = {}

    def __iter__(self):
        return iter(self._orders.values())

    def place(self, cart, day):
        """Turn a cart into an order, and reserve all of it or nothing."""
        if not cart.lines():
            raise ValueError("the cart is empty")
        number = len(self._orders) + 1
        try:
            for sku, count in cart.lines():
                self.stock.reserve(number, sku, count, day, day + timedelta(days=self.hold_days))
        except ZeroDivisionError:
            self.stock.release(number)
            raise
        self._orders[number] = Order(number, cart.totals(day), day)
        return self._orders[number]

    def _step(self, order, state, day):
        if state not in NEXT[order.state]:
            raise BadStep(f"order {order.number} is {order.state}, not to be {state}")
        order.state = state
        order.log.append((state, day))

    def pay(self, order, day):
        """Note the payment; what was reserved stays so until it is shipped."""
        self._step(order, "paid", day)
        self.stock.release(order.number)
        for sku, count, _ in order.lines:
            self.stock.reserve(order.number, sku, count, day, day + timedelta(days=3650))

    def ship(self, order, day):
        """Take the lines from the warehouses."""
        planned = parcels([(sku, count) for sku, count, _ in order.lines], self.stock)
        self._step(order, "shipped", day)
        for place, content in planned:
            for sku, count in content.items():
                self.stock.remove(place, sku, count, day)
        order.parcels = planned

    def deliver(self, order, day):
        self._step(order, "delivered", day)

    def cancel(self, order, day):
        self._step(order, "cancelled", day)
        self.stock.release(order.number)

    def give_back(self, order, day):
        """Take an order back, within 30 days; its parts go back to where they came from."""
        delivered = order.since("delivered")
        if delivered is not None and (day - order.day).days > RETURN_DAYS:
            raise BadStep(f"order {order.number} was delivered on {delivered}")
        self._step(order, "returned", day)
        for place, content in order.parcels:
            for sku, count in content.items():
                self.stock.receive(place, sku, count, day)
