import unittest
from datetime import timedelta

from shop.cart import Cart
from shop.orders import Orders
from shop.reports import best_sellers, revenue, to_order
from tests.goods import DAY, pricing, stock


class ReportsTest(unittest.TestCase):
    def setUp(self):
        self.stock = stock()
        self.orders = Orders(self.stock)

    def order(self, steps, **counts):
        cart = Cart(pricing())
        for sku, count in counts.items():
            cart.add(sku, count)
        order = self.orders.place(cart, DAY)
        for number, step in enumerate(steps):
            getattr(self.orders, step)(order, DAY + timedelta(days=number))
        return order

    def test_revenue(self):
        self.order(["pay", "ship", "deliver", "give_back"], t1=1)
        self.order(["pay", "cancel"], t2=1)
        self.order([], b1=1)
        found = revenue(self.orders, DAY, DAY + timedelta(days=3))
        self.assertEqual(list(found.values()), [2450 + 999, -999, 0, -2450])

    def test_best_sellers(self):
        self.order(["pay"], c1=2, t1=2)
        self.order(["pay", "ship"], b1=3)
        self.order(["pay", "cancel"], t2=4)
        self.order([], c1=5)
        self.assertEqual(best_sellers(self.orders), [("b1", 3), ("c1", 2), ("t1", 2)])
        self.assertEqual(best_sellers(self.orders, 1), [("b1", 3)])

    def test_what_to_order(self):
        self.order(["pay", "ship"], t1=4)
        self.order(["pay"], c1=9)
        now = DAY + timedelta(days=5)
        self.assertEqual(to_order(self.stock, ["t1", "c1", "b1"], now, 10, 7), [("t1", 2)])
        self.assertEqual(to_order(self.stock, ["t1"], DAY + timedelta(days=20), 10, 7), [])
