import unittest

from sheet.book import Book


class FunctionsTest(unittest.TestCase):
    def setUp(self):
        self.book = Book()
        self.book.update({"A1": "1", "A2": "2.5", "A3": "'3", "A4": "TRUE", "B1": "=1/0", "C1": "x"})

    def value(self, formula):
        self.book["Z9"] = "=" + formula
        return self.book["Z9"]

    def test_sums_take_only_numbers_of_ranges(self):
        self.assertEqual(self.value("SUM(A1:A9)"), 3.5)
        self.assertEqual(self.value('SUM(A1:A9,"4",TRUE)'), 8.5)
        self.assertEqual(self.value("AVERAGE(A1:A4)"), 1.75)
        self.assertEqual(self.value("MAX(A1:A4)"), 2.5)
        self.assertEqual(self.value("MIN(A8:A9)"), 0)
        self.assertEqual(self.value("COUNT(A1:C4)"), 2)
        self.assertEqual(repr(self.value("AVERAGE(A8:A9)")), "#DIV/0!")

    def test_errors_pass_through(self):
        self.assertEqual(repr(self.value("SUM(A1:B1)")), "#DIV/0!")
        self.assertEqual(repr(self.value("C1*2+B1")), "#VALUE!")
        self.assertEqual(repr(self.value("NOPE(1)")), "#NAME?")
        self.assertEqual(repr(self.value("NOT(1,2)")), "#VALUE!")

    def test_conditions(self):
        self.assertEqual(self.value("IF(A1>0,7,B1)"), 7)
        self.assertEqual(self.value("IF(A1>5,7)"), False)
        self.assertEqual(self.value('IFERROR(B1,"none")'), "none")
        self.assertEqual(self.value("AND(A1:A4,1)"), True)
        self.assertEqual(self.value("OR(FALSE,0,A9)"), False)

    def test_rounding_is_away_from_zero(self):
        self.assertEqual([self.value(f"ROUND({n})") for n in ("2.5", "-2.5", "1.005,2", "1234,-2", "0.5")], [3, -3, 1.01, 1200, 1])

    def test_texts(self):
        self.assertEqual(self.value('CONCAT(A1:A2,"!",A4)'), "12.5!TRUE")
        self.assertEqual(self.value("LEN(A2&A9)"), 3)
        self.assertEqual(self.value('"B">"a"'), True)
        self.assertEqual(self.value('A9=""'), True)

    def test_lookup(self):
        self.book.update({"E1": "10", "F1": "low", "E2": "20", "F2": "mid", "E3": "30", "F3": "high"})
        self.assertEqual(self.value("VLOOKUP(25,E1:F3,2)"), "mid")
        self.assertEqual(self.value("VLOOKUP(30,E1:F3,2,FALSE)"), "high")
        self.assertEqual(repr(self.value("VLOOKUP(25,E1:F3,2,FALSE)")), "#N/A")
        self.assertEqual(repr(self.value("VLOOKUP(5,E1:F3,2)")), "#N/A")
        self.assertEqual(repr(self.value("VLOOKUP(25,E1:F3,3)")), "#REF!")
