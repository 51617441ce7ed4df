import unittest
from datetime import date
from decimal import Decimal

from ledger.money import Money
from ledger.rates import NoRate, Rates

MAY = date(2024, 5, 1)


class RatesTest(unittest.TestCase):
    def setUp(self):
        self.rates = Rates()
        self.rates.set("EUR", "USD", date(2024, 5, 1), "1.25")
        self.rates.set("EUR", "USD", date(2024, 6, 1), "1.20")
        self.rates.set("JPY", "EUR", date(2024, 5, 1), "0.0064")

    def test_the_newest_rate_on_or_before_a_day_counts(self):
        self.assertEqual(self.rates.rate("EUR", "USD", MAY), Decimal("1.25"))
        self.assertEqual(self.rates.rate("EUR", "USD", date(2024, 5, 31)), Decimal("1.25"))
        self.assertEqual(self.rates.rate("EUR", "USD", date(2024, 6, 1)), Decimal("1.20"))
        with self.assertRaises(NoRate):
            self.rates.rate("EUR", "USD", date(2024, 4, 30))

    def test_the_inverse_and_the_way_over_the_base(self):
        self.assertEqual(self.rates.rate("USD", "EUR", MAY), Decimal("0.8"))
        self.assertEqual(self.rates.rate("JPY", "USD", MAY), Decimal("0.0064") * Decimal("1.25"))

    def test_a_rate_can_be_corrected(self):
        self.rates.set("EUR", "USD", MAY, "1.30")
        self.assertEqual(self.rates.rate("EUR", "USD", date(2024, 5, 2)), Decimal("1.30"))

    def test_digits_of_currencies_count(self):
        self.assertEqual(self.rates.convert(Money(10000, "JPY"), "EUR", MAY), Money(6400, "EUR"))
        self.assertEqual(self.rates.convert(Money(6400, "EUR"), "JPY", MAY), Money(10000, "JPY"))
