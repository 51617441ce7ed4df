import unittest

from sheet.refs import BadRef, Ref, cells_between, column_letters, column_number


class RefsTest(unittest.TestCase):
    def test_columns(self):
        for letters, number in (("A", 1), ("Z", 26), ("AA", 27), ("AZ", 52), ("BA", 53), ("ZZ", 702)):
            self.assertEqual(column_number(letters), number)
            self.assertEqual(column_letters(number), letters)

    def test_cells(self):
        ref = Ref.parse("$b$7")
        self.assertEqual((ref.column, ref.row, ref.fixed_column, ref.fixed_row), (2, 7, True, True))
        self.assertEqual(str(Ref.parse("b$7")), "B$7")
        for text in ("B0", "7B", "AAA1", "A10001", "A1x"):
            with self.assertRaises(BadRef, msg=text):
                Ref.parse(text)

    def test_moving(self):
        self.assertEqual(str(Ref.parse("$B7").moved(3, 2)), "$B9")
        self.assertEqual(str(Ref.parse("B$7").moved(3, 2)), "E$7")
        with self.assertRaises(BadRef):
            Ref.parse("A1").moved(0, -1)

    def test_ranges(self):
        self.assertEqual(cells_between(Ref.parse("B2"), Ref.parse("A1")), [(1, 1), (2, 1), (1, 2), (2, 2)])
        self.assertEqual(cells_between(Ref.parse("A2"), Ref.parse("B1")), [(1, 1), (2, 1), (1, 2), (2, 2)])
