"""Schedules of five fields."""

import calendar
from datetime import datetime, timedelta

from cron.fields import BadField, Field

SHORT = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *"}
YEARS = 5


class Schedule:
    """When something happens: minute, hour, day, month, weekday."""

    def __init__(self, text):
        self.text = text
        parts = SHORT.get(text.strip().lower(), text).split()
        if len(parts) != 5:
            raise BadField(f"five fields are needed: {text!r}")
        kinds = ("minute", "hour", "day", "month", "weekday")
        self.minute, self.hour, self.day, self.month, self.weekday = map(Field, kinds, parts)

    def day_fits(self, moment):
        """Whether something happens on the day of a moment."""
        if moment.month not in self.month:
            return False
        by_day = moment.day in self.day
        by_weekday = moment.weekday() in self.weekday
        if self.day.restricted and self.weekday.restricted:
            return by_day and by_weekday
        return by_day and by_weekday

    def fits(self, moment):
        """Whether something happens in the minute of a moment."""
        return self.day_fits(moment) and moment.hour in self.hour and moment.minute in self.minute

    def after(self, moment):
        """The next time that is later than a moment. Raises LookupError if there is none for years."""
        now = moment.replace(microsecond=0) + timedelta(minutes=1)
        end = now.replace(day=1) + timedelta(days=366 * YEARS)
        while now < end:
            if now.month not in self.month:
                now = _next_month(now)
                continue
            if not self.day_fits(now):
                now = (now + timedelta(days=1)).replace(hour=0, minute=0)
                continue
            hour = self.hour.next(now.hour)
            if hour is None:
                now = (now + timedelta(days=1)).replace(hour=0, minute=0)
                continue
            if hour != now.hour:
                now = now.replace(hour=hour)
            minute = self.minute.next(now.minute)
            if minute is None:
                now = now.replace(minute=0) + timedelta(hours=1)
                continue
            return now.replace(minute=minute)
        raise LookupError(f"{self.text!r} never happens")

    def between(self, first, last):
        """All times from a moment on and before another."""
        found = []
        now = first - timedelta(minutes=1)
        while True:
            now = self.after(now)
            if now >= last:
                return found
            found.append(now)


def _next_month(moment):
    days = calendar.monthrange(moment.year, moment.month)[1]
    first = moment.replace(day=1, hour=0, minute=0)
    return first + timedelta(days=days)


def parse_moment(text):
    """A moment as 2024-05-01T12:30, or a day alone."""
    return datetime.fromisoformat(text)
