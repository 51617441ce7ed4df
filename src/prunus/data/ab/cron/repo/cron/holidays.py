"""Days off."""

import calendar
from datetime import date, timedelta


def easter(year):
    """Easter Sunday."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (a + 11 * h) // 319
    r = (2 * e + 2 * i - k - h + m + 32) % 7
    month = (h - m + r + 90) // 25
    return date(year, month, (h - m + r + month + 19) % 32)


class Calendar:
    """Business days: not on weekends, not on holidays. Holidays are fixed days, or days after Easter."""

    def __init__(self, fixed=(), after_easter=(), weekend=(5, 6)):
        self.fixed = frozenset(fixed)
        self.after_easter = frozenset(after_easter)
        self.weekend = frozenset(weekend)

    def is_holiday(self, day):
        if (day.month, day.day) in self.fixed:
            return True
        return (day - easter(day.year)).days in self.after_easter

    def is_business(self, day):
        return day.weekday() not in self.weekend and not self.is_holiday(day)

    def next_business(self, day):
        """The day itself if it is a business day, or the next one."""
        day += timedelta(days=1)
        while not self.is_business(day):
            day += timedelta(days=1)
        return day

    def add_business(self, day, count):
        """The day so many business days later, or earlier."""
        step = timedelta(days=1)
        left = abs(count)
        while left:
            day += step
            if self.is_business(day):
                left -= 1
        return day

    def nth_business(self, year, month, number):
        """The n-th business day of a month; negative numbers count from its end. Raises LookupError."""
        last = calendar.monthrange(year, month)[1]
        days = [day for day in (date(year, month, n) for n in range(1, last + 1)) if self.is_business(day)]
        at = number - 1
        if number == 0 or not -len(days) <= at < len(days):
            raise LookupError(f"{year}-{month:02d} has no business day {number}")
        return days[at]
