import unittest
from datetime import date

from ledger.journal import Entry, Posting, Unbalanced, split, transfer
from tests.books import books, eur


class JournalTest(unittest.TestCase):
    def test_entries_are_in_order_of_days(self):
        self.assertEqual([entry.text for entry in books()], ["Rent", "Market", "Salary", "Rent", "Dinner", "Salary"])

    def test_entries_of_one_day_keep_their_order(self):
        journal = books()
        for text in ("one", "two", "three"):
            journal.add(transfer(date(2024, 1, 5), text, "assets:cash", "expenses:food", eur("1")))
        self.assertEqual([entry.text for entry in journal][:4], ["Rent", "one", "two", "three"])

    def test_entries_must_balance(self):
        postings = [Posting("assets:cash", eur("1")), Posting("expenses:food", eur("-0.99"))]
        with self.assertRaises(Unbalanced):
            books().add(Entry(date(2024, 1, 1), "wrong", postings))
        with self.assertRaises(Unbalanced):
            books().add(Entry(date(2024, 1, 1), "alone", [Posting("assets:cash", eur("0"))]))

    def test_a_reversal_cancels_once(self):
        journal = books()
        number = next(iter(journal)).number
        opposite = journal.reverse(number, date(2024, 2, 1))
        self.assertEqual([posting.amount for posting in opposite.postings], [eur("-900"), eur("900")])
        self.assertEqual(opposite.reverses, number)
        with self.assertRaises(ValueError):
            journal.reverse(number, date(2024, 2, 2))

    def test_both_ends_of_a_period_count(self):
        texts = [entry.text for entry in books().between(date(2024, 1, 12), date(2024, 3, 9))]
        self.assertEqual(texts, ["Market", "Salary", "Rent", "Dinner"])

    def test_split_pays_every_cent(self):
        targets = {"expenses:food": 1, "expenses:rent": 1, "expenses:unknown": 1}
        entry = split(date(2024, 1, 2), "shared", "assets:cash", targets, eur("10"))
        self.assertEqual(entry.balance(), {})
        self.assertEqual([p.amount.units for p in entry.postings], [334, 333, 333, -1000])
