import unittest

from shop.shipping import Shipping, parcels
from tests.goods import stock


class ShippingTest(unittest.TestCase):
    def setUp(self):
        self.shipping = Shipping(free_from=5000)
        self.shipping.zone("home", ["DE"], [(5000, 699), (1000, 399), (30000, 1699)])
        self.shipping.zone("near", ["AT", "FR"], [(2000, 1299)])

    def test_bands(self):
        self.assertEqual([self.shipping.cost("DE", w, 100) for w in (1000, 1001, 30000)], [399, 699, 1699])
        self.assertEqual(self.shipping.cost("FR", 1, 4999), 1299)
        self.assertEqual(self.shipping.cost("FR", 1, 5000), 0)
        with self.assertRaises(ValueError):
            self.shipping.cost("FR", 2001, 9999)
        with self.assertRaises(LookupError):
            self.shipping.cost("US", 1, 1)

    def test_the_warehouse_with_the_most_lines_first(self):
        self.assertEqual(parcels([("t1", 1), ("t2", 1), ("b1", 1)], stock()), [("west", {"t1": 1, "t2": 1, "b1": 1})])
        self.assertEqual(parcels([("t1", 1), ("t2", 1), ("b1", 4)], stock()), [("east", {"t1": 1, "b1": 4}), ("west", {"t2": 1})])
        self.assertEqual(parcels([("t1", 1)], stock()), [("east", {"t1": 1})])

    def test_a_line_from_several_warehouses(self):
        self.assertEqual(parcels([("t1", 4), ("t2", 1)], stock()), [("west", {"t2": 1}), ("west", {"t1": 3}), ("east", {"t1": 1})])
        with self.assertRaises(LookupError):
            parcels([("t1", 6)], stock())
