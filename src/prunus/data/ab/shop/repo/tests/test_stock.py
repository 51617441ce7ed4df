import unittest
from datetime import date

from shop.stock import OutOfStock
from tests.goods import DAY, stock


class StockTest(unittest.TestCase):
    def test_warehouses(self):
        made = stock()
        self.assertEqual((made.there("t1"), made.there("t1", "east")), (5, 2))
        made.transfer("west", "east", "t1", 2, DAY)
        self.assertEqual((made.there("t1", "east"), made.there("t1", "west")), (4, 1))
        with self.assertRaises(OutOfStock):
            made.remove("west", "t1", 2, DAY)
        with self.assertRaises(ValueError):
            made.receive("west", "t1", -1, DAY)

    def test_reservations(self):
        made = stock()
        made.reserve(1, "t1", 3, DAY, date(2024, 5, 13))
        self.assertEqual((made.there("t1"), made.available("t1", DAY)), (5, 2))
        with self.assertRaises(OutOfStock):
            made.reserve(2, "t1", 3, DAY, date(2024, 5, 13))
        self.assertEqual([made.available("t1", date(2024, 5, d)) for d in (12, 13)], [2, 5])
        made.release(1)
        self.assertEqual(made.available("t1", DAY), 5)

    def test_history(self):
        made = stock()
        made.remove("west", "t1", 1, date(2024, 5, 5))
        self.assertEqual([made.at("t1", date(2024, 5, d)) for d in (1, 4, 5)], [5, 5, 4])
