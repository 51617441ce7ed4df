import unittest
from datetime import timedelta

from shop.cart import Cart
from shop.orders import BadStep, Orders
from shop.stock import OutOfStock
from tests.goods import DAY, pricing, stock


class OrdersTest(unittest.TestCase):
    def setUp(self):
        self.stock = stock()
        self.orders = Orders(self.stock)

    def order(self, **counts):
        cart = Cart(pricing())
        for sku, count in counts.items():
            cart.add(sku, count)
        return self.orders.place(cart, DAY)

    def later(self, days):
        return DAY + timedelta(days=days)

    def test_a_whole_life(self):
        order = self.order(t1=4, c1=1)
        self.assertEqual((self.stock.there("t1"), self.stock.available("t1", DAY)), (5, 1))
        self.orders.pay(order, self.later(1))
        self.assertEqual(self.stock.available("t1", self.later(60)), 1)
        self.orders.ship(order, self.later(2))
        self.assertEqual((self.stock.there("t1"), self.stock.available("t1", self.later(2))), (1, 1))
        self.orders.deliver(order, self.later(4))
        self.orders.give_back(order, self.later(34))
        self.assertEqual((self.stock.there("t1", "east"), self.stock.there("t1", "west")), (2, 3))
        self.assertEqual([state for state, _ in order.log], ["placed", "paid", "shipped", "delivered", "returned"])

    def test_all_or_nothing(self):
        with self.assertRaises(OutOfStock):
            self.order(c1=1, t1=6)
        self.assertEqual(self.stock.available("c1", DAY), 10)
        self.assertEqual(self.order(c1=1).number, 1)

    def test_unpaid_orders_lose_their_goods(self):
        self.order(t1=5)
        self.assertEqual([self.stock.available("t1", self.later(d)) for d in (2, 3)], [0, 5])

    def test_cancelling(self):
        order = self.order(t1=5)
        self.orders.pay(order, DAY)
        self.orders.cancel(order, self.later(1))
        self.assertEqual(self.stock.available("t1", self.later(1)), 5)
        for step in (self.orders.pay, self.orders.ship, self.orders.deliver, self.orders.cancel):
            with self.assertRaises(BadStep):
                step(order, self.later(2))
        self.assertEqual(self.stock.available("t1", self.later(2)), 5)

    def test_returns_have_an_end(self):
        order = self.order(t1=1)
        for step, day in ((self.orders.pay, 0), (self.orders.ship, 1), (self.orders.deliver, 2)):
            step(order, self.later(day))
        with self.assertRaises(BadStep):
            self.orders.give_back(order, self.later(33))
        self.assertEqual(order.state, "delivered")
        self.orders.give_back(order, self.later(32))
