import unittest

from sheet.book import Book


class BookTest(unittest.TestCase):
    def test_a_change_computes_what_depends_on_it_and_nothing_else(self):
        book = Book()
        book.update({"A1": "1", "B1": "=A1+1", "C1": "=B1*2", "D1": "=7"})
        self.assertEqual((book["C1"], book.computed), (4, 3))
        book["A1"] = "4"
        self.assertEqual((book["C1"], book.computed), (10, 5))
        book["A1"] = ""
        self.assertEqual(book["C1"], 2)

    def test_order_of_typing_makes_no_difference(self):
        book = Book()
        for name, text in (("C1", "=B1&A1"), ("B1", "=A1+1"), ("A1", "1")):
            book[name] = text
        self.assertEqual(book["C1"], "21")

    def test_cycles(self):
        book = Book()
        book.update({"A1": "=B1", "B1": "=A1", "C1": "=IFERROR(A1,5)", "D1": "=D1"})
        self.assertEqual([repr(book[n]) for n in ("A1", "B1", "C1", "D1")], ["#CYCLE!"] * 4)
        book["B1"] = "2"
        self.assertEqual([book[n] for n in ("A1", "C1")], [2, 2])

    def test_a_formula_that_becomes_a_value(self):
        book = Book()
        book.update({"A1": "1", "B1": "=A1"})
        book["B1"] = "x"
        book["A1"] = "2"
        self.assertEqual((book["B1"], book.source("B1")), ("x", "x"))

    def test_ranges_in_formulas(self):
        book = Book()
        book["C1"] = "=SUM(B2:A1)"
        book.update({"A1": "1", "B1": "2", "A2": "3", "B2": "4"})
        self.assertEqual(book["C1"], 10)
        self.assertEqual(book.cells(), ["A1", "B1", "C1", "A2", "B2"])

    def test_bad_formulas(self):
        book = Book()
        book.update({"A1": "=1+", "B1": "=A1:A2", "C1": "=A1+1"})
        self.assertEqual([repr(book[n]) for n in ("A1", "B1", "C1")], ["#NAME?", "#VALUE!", "#NAME?"])
