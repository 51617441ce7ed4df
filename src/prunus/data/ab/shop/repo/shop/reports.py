"""Reports."""

from datetime import timedelta


def revenue(orders, first, last):
    """Cents by day of payment, days without any included; what was returned counts against the day of its return."""
    days = {}
    day = first
    while day <= last:
        days[day] = 0
        day += timedelta(days=1)
    for order in orders:
        for state, sign in (("paid", 1), ("returned", -1)):
            when = order.since(state)
            if when in days:
                days[when] += sign * order.sum
        if order.state == "cancelled" and order.since("paid") is not None and order.since("cancelled") in days:
            days[order.since("cancelled")] -= order.sum
    return days


def best_sellers(orders, count=3):
    """The products of paid orders with the most pieces: sku and pieces; of equal ones by sku."""
    sold = {}
    for order in orders:
        if order.since("paid") is None or order.state in ("returned",):
            continue
        for sku, pieces, _ in order.lines:
            sold[sku] = sold.get(sku, 0) + pieces
    return sorted(sold.items(), key=lambda pair: (-pair[1], pair[0]))[:count]


def to_order(stock, skus, now, days, cover):
    """What to order so that the stock lasts `cover` days at the pace of the last `days`: sku and pieces."""
    found = []
    for sku in skus:
        start = now - timedelta(days=days)
        used = -sum(
            count for day, kind, _, known, count in stock.events if known == sku and kind == "remove" and day <= now
        )
        needed = -(-used * cover // days)
        missing = needed - stock.available(sku, now)
        if missing > 0:
            found.append((sku, missing))
    return found
