"""Monthly limits for accounts."""

from ledger.money import Money
from ledger.reports import by_month


class Budget:
    """A limit for one account in one currency."""

    def __init__(self, account, limit, carry=False, most=None):
        self.account = account
        self.limit = limit
        self.carry = carry
        self.most = most

    def months(self, journal):
        """For each month: what may be spent, what was spent, what is left.

        With `carry` what is left goes into the next month, a debt too. `most` bounds what is carried over.
        """
        spent = by_month(journal, self.account, self.limit.currency)
        rows = {}
        carried = 0
        for month, amount in spent.items():
            allowed = self.limit.units + carried
            left = allowed - amount.units
            rows[month] = tuple(Money(units, self.limit.currency) for units in (allowed, amount.units, left))
            carried = max(left, 0) if self.carry else 0
            if self.most is not None:
                carried = min(carried, self.most.units)
        return rows

    def exceeded(self, journal):
        """The months in which more was spent than allowed."""
        return [month for month, (_, _, left) in self.months(journal).items() if left.units < 0]
