import unittest
from datetime import date

from ledger.accounts import Chart, UnknownAccount, is_below, natural_sign
from tests.books import chart


class AccountsTest(unittest.TestCase):
    def test_below_is_by_steps(self):
        self.assertTrue(is_below("assets:bank", "assets:bank"))
        self.assertTrue(is_below("assets:bank:checking", "assets:bank"))
        self.assertFalse(is_below("assets:banking", "assets:bank"))

    def test_signs(self):
        self.assertEqual([natural_sign(n) for n in ("assets:x", "expenses:y", "liabilities", "equity:o")], [1, 1, -1, -1])
        with self.assertRaises(UnknownAccount):
            natural_sign("other:x")

    def test_parents_open_with_their_children(self):
        made = Chart()
        made.open("assets:bank:one", date(2024, 5, 1))
        made.open("assets:bank:two", date(2024, 2, 1))
        made.check("assets:bank", date(2024, 2, 1))
        with self.assertRaises(ValueError):
            made.check("assets:bank:one", date(2024, 4, 30))

    def test_a_closed_account_closes_those_below(self):
        made = chart()
        made.close("assets:bank", date(2024, 6, 30))
        made.check("assets:bank:savings", date(2024, 6, 30))
        with self.assertRaises(ValueError):
            made.check("assets:bank:savings", date(2024, 7, 1))
        made.check("assets:cash", date(2024, 7, 1))

    def test_leaves(self):
        leaves = chart().leaves()
        self.assertIn("expenses:food:out", leaves)
        self.assertNotIn("expenses:food", leaves)
        self.assertNotIn("assets", leaves)
