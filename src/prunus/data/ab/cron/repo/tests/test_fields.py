import unittest

from cron.fields import BadField, Field


class FieldsTest(unittest.TestCase):
    def check(self, kind, text, values):
        self.assertEqual(Field(kind, text).values, values)

    def test_values(self):
        self.check("minute", "*/20", [0, 20, 40])
        self.check("minute", "10-40/15", [10, 25, 40])
        self.check("hour", "22,1-3,2", [1, 2, 3, 22])
        self.check("minute", "50/5", [50, 55])
        self.check("day", "*/10", [1, 11, 21, 31])

    def test_names(self):
        self.check("month", "JAN,mar-may", [1, 3, 4, 5])
        self.check("weekday", "mon-fri", [1, 2, 3, 4, 5])

    def test_both_ends_of_the_week(self):
        self.check("weekday", "7", [0])
        self.check("weekday", "5-7", [0, 5, 6])
        self.check("weekday", "sat-sun", [0, 6])
        self.check("weekday", "*", [0, 1, 2, 3, 4, 5, 6])

    def test_mistakes(self):
        for kind, text in (("minute", "60"), ("day", "0"), ("hour", "5-2"), ("minute", "*/0"), ("month", "foo"), ("minute", ""), ("hour", "-3")):
            with self.assertRaises(BadField, msg=text):
                Field(kind, text)

    def test_next(self):
        field = Field("minute", "5,30")
        self.assertEqual([field.next(n) for n in (0, 5, 6, 31)], [5, 5, 30, None])
