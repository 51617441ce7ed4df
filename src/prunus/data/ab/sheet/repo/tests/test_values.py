import unittest

from sheet.values import VALUE, Failed, as_bool, as_number, as_text, is_number, order, typed


class ValuesTest(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual([as_number(v) for v in (None, True, "12", " 1.5 ", "50%")], [0, 1, 12, 1.5, 0.5])
        self.assertFalse(is_number(True))
        with self.assertRaises(Failed):
            as_number("twelve")
        with self.assertRaises(Failed):
            as_number(VALUE)

    def test_texts(self):
        self.assertEqual([as_text(v) for v in (None, True, 2.0, 0.1 + 0.2, 7)], ["", "TRUE", "2", "0.3", "7"])

    def test_conditions(self):
        self.assertEqual([as_bool(v) for v in (None, 0, 2, "true", False)], [False, False, True, True, False])
        with self.assertRaises(Failed):
            as_bool("yes")

    def test_order(self):
        self.assertEqual(sorted([True, "b", 3, "A", False, -1], key=order), [-1, 3, "A", "b", False, True])

    def test_what_is_typed(self):
        self.assertEqual([typed(t) for t in ("", " 7 ", "7.5", "25%", "TRUE", "'7", "a b")], [None, 7, 7.5, 0.25, True, "7", "a b"])
