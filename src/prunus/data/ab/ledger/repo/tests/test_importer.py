import unittest
from datetime import date

from ledger.importer import BadStatement, Importer, Rule, parse_day
from tests.books import books, eur

STATEMENT = '''Booked;Memo;Value
01.02.2024;"Super; market";-12,000.00
01.02.2024;Coffee  shop;-2.50
01.02.2024;Coffee shop;-2.50
2024-02-03;Refund;(1.00)
'''


class ImporterTest(unittest.TestCase):
    def setUp(self):
        self.journal = books()
        rules = [Rule("super|market", "expenses:food", ("shop",)), Rule("coffee", "expenses:food:out")]
        self.importer = Importer(self.journal, "assets:bank:checking", "EUR", rules)

    def test_dates(self):
        for text in ("2024-03-01", "01.03.2024", "03/01/2024", " 1.3.2024 "):
            self.assertEqual(parse_day(text), date(2024, 3, 1))
        with self.assertRaises(ValueError):
            parse_day("1 March")

    def test_lines_become_entries(self):
        self.assertEqual(self.importer.load(STATEMENT), (4, 0))
        [entry] = self.journal.tagged("shop")
        self.assertEqual(entry.text, "Super; market")
        self.assertEqual([p.amount for p in entry.postings], [eur("-12000"), eur("12000")])
        self.assertEqual(len([e for e in self.journal if e.touches("expenses:food:out")]), 3)
        self.assertEqual(len([e for e in self.journal if e.touches("expenses:unknown")]), 1)

    def test_a_second_import_adds_only_what_is_new(self):
        self.importer.load(STATEMENT)
        self.assertEqual(self.importer.load(STATEMENT + "05.02.2024;New;-1\n"), (1, 4))

    def test_a_bad_line_is_named(self):
        with self.assertRaisesRegex(BadStatement, "line 3"):
            self.importer.load("date,text,amount\n2024-01-02,a,1\n2024-13-02,b,1\n")
        with self.assertRaisesRegex(BadStatement, "amount"):
            self.importer.load("date,text\n2024-01-02,a\n")
