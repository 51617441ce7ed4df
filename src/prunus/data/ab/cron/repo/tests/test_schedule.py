import unittest
from datetime import datetime

from cron.fields import BadField
from cron.schedule import Schedule, parse_moment as at


class ScheduleTest(unittest.TestCase):
    def check(self, text, moment, expected):
        self.assertEqual(Schedule(text).after(at(moment)), at(expected))

    def test_minutes_and_hours(self):
        self.check("*/15 * * * *", "2024-05-01T10:00", "2024-05-01T10:15")
        self.check("*/15 * * * *", "2024-05-01T10:59:59", "2024-05-01T11:00")
        self.check("30 9-17 * * *", "2024-05-01T17:45", "2024-05-02T09:30")
        self.check("5 4 * * *", "2024-05-01T03:50", "2024-05-01T04:05")

    def test_months_and_leap_years(self):
        self.check("0 0 29 2 *", "2024-03-01T00:00", "2028-02-29T00:00")
        self.check("0 0 31 * *", "2024-01-31T00:00", "2024-03-31T00:00")
        self.check("0 12 1 jan *", "2024-12-31T23:59", "2025-01-01T12:00")
        with self.assertRaises(LookupError):
            Schedule("0 0 31 2 *").after(datetime(2024, 1, 1))

    def test_either_day_field(self):
        self.check("0 0 13 * fri", "2024-05-10T00:00", "2024-05-13T00:00")
        self.check("0 0 13 * fri", "2024-05-13T00:00", "2024-05-17T00:00")
        self.check("0 0 * * fri", "2024-05-10T00:00", "2024-05-17T00:00")
        self.check("0 0 */2 * mon", "2024-05-01T00:00", "2024-05-13T00:00")

    def test_short_forms(self):
        self.check("@weekly", "2024-05-01T00:00", "2024-05-05T00:00")
        self.check("@Monthly", "2024-05-01T00:00", "2024-06-01T00:00")
        with self.assertRaises(BadField):
            Schedule("* * * *")

    def test_between(self):
        found = Schedule("0 */6 * * *").between(at("2024-05-01T06:00"), at("2024-05-02T00:00"))
        self.assertEqual([moment.hour for moment in found], [6, 12, 18])
        self.assertTrue(Schedule("0 6 * * wed").fits(at("2024-05-01T06:00:30")))
