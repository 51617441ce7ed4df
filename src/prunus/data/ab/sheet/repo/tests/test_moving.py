import unittest

from sheet.book import Book
from sheet.moving import copied, copy, delete_row, insert_row
from sheet.refs import Ref


class MovingTest(unittest.TestCase):
    def test_copies(self):
        self.assertEqual(copied('=A1+$A1+A$1+$A$1&"A1"', Ref.parse("B2"), Ref.parse("C4")), '=B3+$A3+B$1+$A$1&"A1"')
        self.assertEqual(copied("=A1", Ref.parse("B2"), Ref.parse("B1")), "=#REF!")
        self.assertEqual(copied("A1", Ref.parse("B2"), Ref.parse("B3")), "A1")
        self.assertEqual(copied("=LOG10(A1)", Ref.parse("B2"), Ref.parse("B3")), "=LOG10(A2)")

    def test_a_copy_is_computed(self):
        book = Book()
        book.update({"A1": "1", "A2": "5", "B1": "=A1*2"})
        copy(book, "B1", "B2")
        self.assertEqual((book.source("B2"), book["B2"]), ("=A2*2", 10))

    def test_rows_are_inserted(self):
        book = Book()
        book.update({"A1": "1", "A2": "2", "A3": "=SUM(A1:$A$2)"})
        insert_row(book, 2)
        self.assertEqual([book.source(n) for n in ("A1", "A2", "A3", "A4")], ["1", "", "2", "=SUM(A1:$A$3)"])
        self.assertEqual(book["A4"], 3)

    def test_rows_are_deleted(self):
        book = Book()
        book.update({"A1": "1", "A2": "2", "A3": "=A1+A2", "A4": "=A1"})
        delete_row(book, 2)
        self.assertEqual(book.cells(), ["A1", "A2", "A3"])
        self.assertEqual((repr(book["A2"]), book["A3"]), ("#REF!", 1))
