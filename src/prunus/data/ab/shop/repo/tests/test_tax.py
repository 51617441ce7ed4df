import unittest

from shop.tax import Taxes
from tests.goods import catalog


class TaxTest(unittest.TestCase):
    def taxes(self, included=True):
        made = Taxes(catalog(), included)
        made.set("DE", 19)
        made.set("DE", 7, "books")
        made.set("US", 0)
        return made

    def test_the_nearest_category_counts(self):
        made = self.taxes()
        self.assertEqual([made.rate("DE", c) for c in ("comics", "tools", "all")], [7, 19, 19])
        self.assertEqual(made.rate("US", "books"), 0)
        with self.assertRaises(LookupError):
            made.rate("FR", "books")

    def test_tax_in_prices(self):
        self.assertEqual(self.taxes().split("DE", [("b1", 1070), ("c1", 535), ("t1", 1190)]), (2500, {7: 105, 19: 190}, 2795))
        self.assertEqual(self.taxes().split("DE", [("t1", 999)]), (839, {19: 160}, 999))

    def test_tax_on_prices_is_rounded_per_rate(self):
        net, taxes, gross = self.taxes(False).split("DE", [("t1", 103), ("t2", 103), ("b1", 50)])
        self.assertEqual((net, taxes, gross), (256, {7: 4, 19: 39}, 299))
        self.assertEqual(self.taxes(False).split("US", [("t1", 100)]), (100, {0: 0}, 100))
