"""A shop for the tests."""

from datetime import date

from shop.catalog import Catalog, Product
from shop.pricing import Pricing
from shop.stock import Stock

DAY = date(2024, 5, 10)


def catalog():
    made = Catalog()
    for name, parent in (("all", None), ("books", "all"), ("comics", "books"), ("tools", "all")):
        made.category(name, parent)
    for sku, name, category, weight, cents in (
        ("b1", "Atlas", "books", 900, 3999), ("c1", "Comic", "comics", 200, 1250), ("t1", "Saw", "tools", 700, 2450), ("t2", "Awl", "tools", 100, 999),
    ):
        made.add(Product(sku, name, category, weight)).set_price(date(2024, 1, 1), cents)
    return made


def pricing(*discounts):
    return Pricing(catalog(), discounts)


def stock():
    made = Stock()
    for place, sku, count in (("east", "b1", 5), ("west", "b1", 1), ("west", "c1", 10), ("east", "t1", 2), ("west", "t1", 3), ("west", "t2", 4)):
        made.receive(place, sku, count, date(2024, 5, 1))
    return made
