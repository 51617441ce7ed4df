import unittest

from ledger.budget import Budget
from tests.books import books, eur


class BudgetTest(unittest.TestCase):
    def test_without_carrying(self):
        rows = Budget("expenses:food", eur("80")).months(books())
        self.assertEqual([left.units for _, _, left in rows.values()], [-245, 8000, 1590])
        self.assertEqual(Budget("expenses:food", eur("80")).exceeded(books()), ["2024-01"])

    def test_what_is_left_is_carried(self):
        rows = Budget("expenses:food", eur("80"), carry=True).months(books())
        self.assertEqual([allowed.units for allowed, _, _ in rows.values()], [8000, 7755, 15755])

    def test_the_most_that_is_carried(self):
        rows = Budget("expenses:food", eur("80"), carry=True, most=eur("20")).months(books())
        self.assertEqual([allowed.units for allowed, _, _ in rows.values()], [8000, 7755, 10000])
