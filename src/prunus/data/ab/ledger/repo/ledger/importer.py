"""Bank statements as CSV."""

import csv
import hashlib
import io
import re
from datetime import date

from ledger.journal import Entry, Posting
from ledger.money import Money

COLUMNS = {
    "date": ("date", "booked", "day"),
    "text": ("text", "description", "memo"),
    "amount": ("amount", "value", "sum"),
}
"""What a column may be called."""

_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})$")
_GERMAN = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})$")
_AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})$")


class BadStatement(ValueError):
    """A statement that cannot be read; says in which line."""


def parse_day(text):
    """A date as 2024-03-01, 01.03.2024 or 03/01/2024."""
    text = text.strip()
    if found := _ISO.match(text):
        year, month, day = found.groups()
    elif found := _GERMAN.match(text):
        day, month, year = found.groups()
    elif found := _AMERICAN.match(text):
        month, day, year = found.groups()
    else:
        raise ValueError(f"no date: {text!r}")
    return date(int(year), int(month), int(day))


class Rule:
    """An account for lines whose text matches; the first rule that matches counts."""

    def __init__(self, pattern, account, tags=()):
        self.pattern = re.compile(pattern, re.IGNORECASE)
        self.account = account
        self.tags = tuple(tags)

    def matches(self, text):
        return self.pattern.search(text) is not None


class Importer:
    """Turns statements of one bank account into entries."""

    def __init__(self, journal, account, currency, rules=(), other="expenses:unknown"):
        self.journal = journal
        self.account = account
        self.currency = currency
        self.rules = list(rules)
        self.other = other
        self._seen = set()

    def load(self, text):
        """Add an entry for each line that is new. Return how many were added and how many were skipped."""
        reader = csv.reader(io.StringIO(text), delimiter=_delimiter(text))
        rows = [row for row in reader if any(cell.strip() for cell in row)]
        if not rows:
            return 0, 0
        places = _places(rows[0])
        added = skipped = 0
        counts = {}
        for number, row in enumerate(rows[1:], 2):
            try:
                day = parse_day(row[places["date"]])
                amount = Money.parse(row[places["amount"]], self.currency)
            except (ValueError, IndexError, ArithmeticError) as error:
                raise BadStatement(f"line {number}: {error}") from error
            memo = " ".join(row[places["text"]].split())
            # Equal lines within one statement are different payments.
            same = counts[day, memo, amount] = 1
            mark = _mark(day, memo, amount, same)
            if mark in self._seen:
                skipped += 1
                continue
            self._seen.add(mark)
            self.journal.add(self._entry(day, memo, amount))
            added += 1
        return added, skipped

    def _entry(self, day, memo, amount):
        rule = next((rule for rule in self.rules if rule.matches(memo)), None)
        other = rule.account if rule else self.other
        tags = rule.tags if rule else ()
        return Entry(day, memo, [Posting(self.account, amount), Posting(other, -amount)], tags)


def _mark(day, memo, amount, same):
    key = f"{day.isoformat()}|{memo.lower()}|{amount.units}|{same}"
    return hashlib.sha256(key.encode()).hexdigest()


def _delimiter(text):
    first = text.lstrip().splitlines()[0] if text.strip() else ""
    return "," if "," in text else ";"


def _places(header):
    names = [cell.strip().lower() for cell in header]
    places = {}
    for field, known in COLUMNS.items():
        found = [index for index, name in enumerate(names) if name in known]
        if not found:
            raise BadStatement(f"no column for {field}")
        places[field] = found[0]
    return places
