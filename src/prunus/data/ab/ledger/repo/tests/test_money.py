import unittest

from ledger.money import CurrencyMismatch, Money


class MoneyTest(unittest.TestCase):
    def test_amounts_are_read(self):
        self.assertEqual(Money.parse("1,234.50", "EUR").units, 123450)
        self.assertEqual(Money.parse("(12.00)", "EUR").units, -1200)
        self.assertEqual(Money.parse("-0.01", "EUR").units, -1)
        self.assertEqual(Money.parse("1500", "JPY").units, 1500)
        self.assertEqual(Money.parse("1.5", "KWD").units, 1500)

    def test_halves_round_to_even(self):
        self.assertEqual(Money.parse("0.125", "EUR").units, 12)
        self.assertEqual(Money.parse("0.135", "EUR").units, 14)
        self.assertEqual(Money(5, "EUR").times("0.5").units, 2)
        self.assertEqual(Money(15, "EUR").times("0.5").units, 8)

    def test_amounts_are_written(self):
        self.assertEqual(str(Money(-123456, "EUR")), "-1,234.56 EUR")
        self.assertEqual(str(Money(-5, "EUR")), "-0.05 EUR")
        self.assertEqual(str(Money(1500, "JPY")), "1,500 JPY")
        self.assertEqual(str(Money(7, "KWD")), "0.007 KWD")

    def test_currencies_do_not_mix(self):
        with self.assertRaises(CurrencyMismatch):
            Money(1, "EUR") + Money(1, "USD")
        self.assertNotEqual(Money(1, "EUR"), Money(1, "USD"))

    def test_no_unit_is_lost(self):
        shares = Money(1000, "EUR").allocate([1, 1, 1])
        self.assertEqual([share.units for share in shares], [334, 333, 333])
        shares = Money(-1001, "EUR").allocate([0, 1, 1])
        self.assertEqual([share.units for share in shares], [0, -501, -500])
        shares = Money(5, "EUR").allocate([3, 3, 3])
        self.assertEqual([share.units for share in shares], [2, 2, 1])
        with self.assertRaises(ValueError):
            Money(5, "EUR").allocate([0, 0])
