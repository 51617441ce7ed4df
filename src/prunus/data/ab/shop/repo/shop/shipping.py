"""Sending things."""


class Shipping:
    """Cost by zone and weight: `bands` are pairs of the heaviest weight and its cost, in order."""

    def __init__(self, free_from=None):
        self.free_from = free_from
        self._zones = {}
        self._bands = {}

    def zone(self, name, countries, bands):
        for country in countries:
            self._zones[country] = name
        self._bands[name] = list(bands)

    def cost(self, country, weight, whole):
        """What sending costs. Raises LookupError for an unknown country, ValueError for what is too heavy."""
        if country not in self._zones:
            raise LookupError(country)
        bands = self._bands[self._zones[country]]
        for heaviest, cost in bands:
            if weight <= heaviest:
                return 0 if self.free_from is not None and whole >= self.free_from else cost
        raise ValueError(f"{weight} g is too heavy")


def parcels(lines, stock):
    """Which warehouse sends what: those that can send the most lines whole first, then by name.

    Lines are pairs of sku and count. A line that no warehouse has whole is taken from several. Raises LookupError.
    """
    left = dict(lines)
    free = {(place, sku): stock.there(sku, place) for place in stock.warehouses() for sku in left}
    found = []
    while left:
        whole = {
            place: [sku for sku, count in left.items() if free[place, sku] >= count] for place in stock.warehouses()
        }
        place = min(whole, key=lambda name: (len(whole[name]) == 0, name), default=None)
        if place is None or not whole[place]:
            break
        found.append((place, {sku: left.pop(sku) for sku in whole[place]}))
        for sku, count in found[-1][1].items():
            free[place, sku] -= count
    for sku, count in left.items():
        for place in sorted(stock.warehouses(), key=lambda name: (-free[name, sku], name)):
            taken = min(count, free[place, sku])
            if taken:
                found.append((place, {sku: taken}))
                count -= taken
        if count:
            raise LookupError(f"{count} of {sku} are missing")
    return found
