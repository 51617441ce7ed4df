"""Delays between attempts."""


class Backoff:
    """Longer and longer delays."""

    def __init__(self, first=1.0, factor=2.0, most=300.0, attempts=5):
        if first <= 0 or factor < 1 or attempts < 1:
            raise ValueError("a backoff needs positive delays and an attempt")
        self.first, self.factor, self.most, self.attempts = first, factor, most, attempts

    def delay(self, failures):
        """Seconds to wait after so many failures, counted from 1; None if there is no attempt left."""
        if failures < 1:
            raise ValueError("no failure yet")
        if failures > self.attempts:
            return None
        return min(self.most, self.first * self.factor**failures)

    def total(self):
        """Seconds that all delays take together."""
        return sum(self.delay(number) for number in range(1, self.attempts))
