import unittest
from datetime import date

from cron.holidays import Calendar, easter

GERMAN = Calendar(fixed=[(1, 1), (5, 1), (12, 25), (12, 26)], after_easter=[-2, 1, 39, 50])


class HolidaysTest(unittest.TestCase):
    def test_easter(self):
        days = {2023: (4, 9), 2024: (3, 31), 2025: (4, 20), 2038: (4, 25), 2008: (3, 23)}
        self.assertEqual({year: (easter(year).month, easter(year).day) for year in days}, days)

    def test_business_days(self):
        self.assertFalse(GERMAN.is_business(date(2024, 3, 29)))
        self.assertFalse(GERMAN.is_business(date(2024, 4, 1)))
        self.assertTrue(GERMAN.is_business(date(2024, 4, 2)))
        self.assertEqual(GERMAN.next_business(date(2024, 3, 29)), date(2024, 4, 2))
        self.assertEqual(GERMAN.next_business(date(2024, 4, 2)), date(2024, 4, 2))

    def test_adding(self):
        self.assertEqual(GERMAN.add_business(date(2024, 3, 28), 1), date(2024, 4, 2))
        self.assertEqual(GERMAN.add_business(date(2024, 4, 2), -1), date(2024, 3, 28))
        self.assertEqual(GERMAN.add_business(date(2024, 12, 24), 3), date(2024, 12, 31))
        self.assertEqual(GERMAN.add_business(date(2024, 4, 6), 0), date(2024, 4, 6))

    def test_the_nth_business_day(self):
        self.assertEqual(GERMAN.nth_business(2024, 5, 1), date(2024, 5, 2))
        self.assertEqual(GERMAN.nth_business(2024, 3, -1), date(2024, 3, 28))
        for number in (0, 30, -30):
            with self.assertRaises(LookupError):
                GERMAN.nth_business(2024, 5, number)
