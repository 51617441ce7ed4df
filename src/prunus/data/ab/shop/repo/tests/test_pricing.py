import unittest
from datetime import date

from shop.pricing import Discount, percent
from tests.goods import DAY, pricing


class PricingTest(unittest.TestCase):
    def test_percent_rounds_half_up(self):
        self.assertEqual([percent(c, 10) for c in (1004, 1005, 1015)], [100, 101, 102])
        self.assertEqual(percent(333, 50), 167)

    def test_the_best_discount_counts(self):
        made = pricing(Discount("ten", share=10), Discount("off", off=200), Discount("third", every=3))
        self.assertEqual(made.line("t2", 1, DAY), (999, 200, ["off"]))
        self.assertEqual(made.line("b1", 1, DAY), (3999, 400, ["ten"]))
        self.assertEqual(made.line("t1", 7, DAY), (17150, 4900, ["third"]))

    def test_some_are_added(self):
        made = pricing(Discount("ten", share=10), Discount("bulk", off=50, least=2, adds=True))
        self.assertEqual(made.line("t1", 2, DAY), (4900, 590, ["ten", "bulk"]))
        self.assertEqual(made.line("t1", 1, DAY), (2450, 245, ["ten"]))

    def test_categories_and_days(self):
        made = pricing(Discount("books", share=20, category="books", first=date(2024, 5, 1), last=DAY))
        self.assertEqual(made.line("c1", 1, DAY)[1], 250)
        self.assertEqual(made.line("t1", 1, DAY)[1], 0)
        self.assertEqual(made.line("c1", 1, date(2024, 5, 11))[1], 0)
        self.assertEqual(made.line("c1", 1, date(2024, 5, 1))[1], 250)

    def test_no_line_costs_less_than_nothing(self):
        self.assertEqual(pricing(Discount("all", off=5000)).line("c1", 2, DAY), (2500, 2500, ["all"]))
