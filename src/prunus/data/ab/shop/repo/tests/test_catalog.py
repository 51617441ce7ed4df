import unittest
from datetime import date

from shop.catalog import Product, UnknownProduct
from tests.goods import catalog


class CatalogTest(unittest.TestCase):
    def test_prices_by_day(self):
        product = Product("x", "X", "all")
        product.set_price(date(2024, 6, 1), 200)
        product.set_price(date(2024, 5, 1), 100)
        self.assertEqual([product.price(date(2024, m, d)) for m, d in ((5, 1), (5, 31), (6, 1))], [100, 100, 200])
        product.set_price(date(2024, 5, 1), 150)
        self.assertEqual(product.price(date(2024, 5, 2)), 150)
        with self.assertRaises(LookupError):
            product.price(date(2024, 4, 30))

    def test_categories(self):
        made = catalog()
        self.assertEqual(made.lineage("comics"), ["comics", "books", "all"])
        self.assertEqual([p.sku for p in made.within("books")], ["b1", "c1"])
        self.assertEqual([p.sku for p in made.within("tools")], ["t2", "t1"])
        with self.assertRaises(UnknownProduct):
            made.product("z9")
        with self.assertRaises(KeyError):
            made.add(Product("y", "Y", "nothing"))
