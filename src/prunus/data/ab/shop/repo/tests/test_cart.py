import unittest

from shop.cart import Cart, Coupon, spread
from shop.pricing import Discount
from tests.goods import DAY, pricing


class CartTest(unittest.TestCase):
    def test_lines(self):
        cart = Cart(pricing(), most=5)
        cart.add("t1", 2)
        cart.add("b1")
        cart.add("t1")
        self.assertEqual(cart.lines(), [("t1", 3), ("b1", 1)])
        with self.assertRaises(ValueError):
            cart.add("t1", 3)
        self.assertEqual(cart.lines()[0], ("t1", 3))
        cart.change("t1", 0)
        self.assertEqual(cart.lines(), [("b1", 1)])
        with self.assertRaises(KeyError):
            cart.add("z9")

    def test_spread(self):
        self.assertEqual(spread(100, [1, 1, 1]), [34, 33, 33])
        self.assertEqual(spread(10, [1, 2, 4]), [1, 3, 6])
        self.assertEqual(spread(5, [0, 0]), [0, 0])
        self.assertEqual(sum(spread(997, [13, 7, 101, 3])), 997)

    def test_coupons(self):
        cart = Cart(pricing(Discount("books", share=50, category="books")))
        cart.add("b1")
        cart.add("t1")
        self.assertEqual(cart.totals(DAY), [("b1", 1, 1999), ("t1", 1, 2450)])
        cart.coupon = Coupon("ten", share=10, least=4449)
        self.assertEqual((cart.totals(DAY), cart.sum(DAY)), ([("b1", 1, 1799), ("t1", 1, 2205)], 4004))
        cart.coupon = Coupon("ten", share=10, least=4450)
        self.assertEqual(cart.sum(DAY), 4449)
        cart.coupon = Coupon("huge", amount=99999)
        self.assertEqual(cart.sum(DAY), 0)
