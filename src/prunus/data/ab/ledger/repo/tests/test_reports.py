import unittest
from datetime import date

from ledger.money import Money
from ledger.rates import Rates
from ledger.reports import balance, by_month, income_statement, running, trial_balance
from tests.books import books, eur


class ReportsTest(unittest.TestCase):
    def test_a_balance_includes_accounts_below(self):
        self.assertEqual(balance(books(), "expenses:food"), {"EUR": eur("146.55")})
        self.assertEqual(balance(books(), "liabilities:card"), {"EUR": eur("64.10")})
        self.assertEqual(balance(books(), "income"), {"EUR": eur("6000")})
        self.assertEqual(balance(books(), "assets", last=date(2024, 1, 12)), {"EUR": eur("-982.45")})

    def test_a_balance_of_zero_is_left_out(self):
        self.assertEqual(balance(books(), "assets:cash"), {})

    def test_both_columns_of_the_trial_balance_are_equal(self):
        rows = trial_balance(books())
        self.assertEqual(rows["assets:bank:checking", "EUR"], (600000, 188245))
        self.assertEqual(sum(d for d, _ in rows.values()), sum(c for _, c in rows.values()))

    def test_running_balance(self):
        rows = running(books(), "assets:bank:checking", "EUR")
        self.assertEqual([row[3] for row in rows], [-90000, -98245, 201755, 111755, 411755])

    def test_empty_months_are_shown(self):
        months = by_month(books(), "expenses", "EUR")
        self.assertEqual(list(months), ["2024-01", "2024-02", "2024-03"])
        self.assertEqual(months["2024-02"], eur("0"))
        self.assertEqual(months["2024-03"], eur("964.10"))

    def test_income_statement_in_another_currency(self):
        rates = Rates()
        rates.set("EUR", "USD", date(2024, 1, 1), "1.10")
        rates.set("EUR", "USD", date(2024, 3, 1), "1.20")
        found = income_statement(books(), date(2024, 1, 5), date(2024, 3, 31), rates, "USD")
        self.assertEqual(found["income"], Money(330000 + 360000, "USD"))
        self.assertEqual(found["expenses"], Money(99000 + 9070 + 108000 + 7692, "USD"))
        self.assertEqual(found["profit"].units, found["income"].units - found["expenses"].units)
