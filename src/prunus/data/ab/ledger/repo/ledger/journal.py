"""Entries, and the journal that keeps them."""

import bisect
from collections import defaultdict

from ledger.money import Money


class Unbalanced(ValueError):
    """Postings that do not sum to zero."""


class Posting:
    """One line of an entry; debits are positive."""

    __slots__ = ("account", "amount", "note")

    def __init__(self, account, amount, note=""):
        self.account = account
        self.amount = amount
        self.note = note


class Entry:
    """What happened on a day."""

    def __init__(self, day, text, postings, tags=(), reverses=None):
        self.day = day
        self.text = text
        self.postings = list(postings)
        self.tags = frozenset(tags)
        self.reverses = reverses
        self.number = None

    def balance(self):
        """The sum of the postings for each currency, without those that are zero."""
        sums = defaultdict(int)
        for posting in self.postings:
            sums[posting.amount.currency] += posting.amount.units
        return {currency: units for currency, units in sums.items() if units}

    def touches(self, account):
        """Whether a posting is for an account."""
        return any(posting.account == account for posting in self.postings)


class Journal:
    """All entries by date."""

    def __init__(self, chart):
        self.chart = chart
        self._entries = []
        self._keys = []
        self._reversed = {}
        self._next = 1

    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        return iter(self._entries)

    def add(self, entry):
        """Check an entry and add it. Return its number."""
        if len(entry.postings) < 2:
            raise Unbalanced("an entry needs two postings")
        wrong = entry.balance()
        if wrong:
            raise Unbalanced(f"{entry.text}: {wrong}")
        for posting in entry.postings:
            self.chart.check(posting.account, entry.day)
        entry.number = self._next
        self._next += 1
        at = bisect.bisect_left(self._keys, entry.day)
        self._keys.insert(at, entry.day)
        self._entries.insert(at, entry)
        return entry.number

    def find(self, number):
        """The entry with a number."""
        for entry in self._entries:
            if entry.number == number:
                return entry
        raise KeyError(number)

    def reverse(self, number, day):
        """Add the opposite of an entry. An entry is reversed at most once."""
        if number in self._reversed:
            raise ValueError(f"entry {number} is reversed already")
        entry = self.find(number)
        postings = [Posting(one.account, -one.amount, one.note) for one in entry.postings]
        opposite = Entry(day, f"Reversal of {entry.text}", postings, entry.tags, reverses=number)
        self._reversed[self.add(opposite)] = number
        return opposite

    def between(self, first=None, last=None):
        """Entries of a period; both ends are included."""
        start = 0 if first is None else bisect.bisect_left(self._keys, first)
        end = len(self._keys) if last is None else bisect.bisect_left(self._keys, last)
        return self._entries[start:end]

    def tagged(self, tag):
        """Entries with a tag."""
        return [entry for entry in self._entries if tag in entry.tags]


def transfer(day, text, source, target, amount, tags=()):
    """An entry that moves an amount from one account to another."""
    return Entry(day, text, [Posting(target, amount), Posting(source, -amount)], tags)


def split(day, text, source, targets, amount, tags=()):
    """An entry that pays from one account to several, by weight."""
    names = list(targets)
    shares = amount.allocate([targets[name] for name in names])
    postings = [Posting(name, share) for name, share in zip(names, shares)]
    postings.append(Posting(source, Money(-amount.units, amount.currency)))
    return Entry(day, text, postings, tags)
