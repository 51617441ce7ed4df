"""Balances and statements."""

from collections import defaultdict

from ledger.accounts import is_below, natural_sign, root_of
from ledger.money import Money


def balance(journal, account, last=None, first=None):
    """The sums of an account and those below it, by currency, with the account's natural sign."""
    sums = defaultdict(int)
    for entry in journal.between(first, last):
        for posting in entry.postings:
            if is_below(posting.account, account):
                sums[posting.amount.currency] += posting.amount.units
    sign = natural_sign(account)
    return {currency: Money(sign * units, currency) for currency, units in sorted(sums.items()) if units}


def trial_balance(journal, last=None):
    """Debits and credits for each account that is used, in minor units; both columns have the same sum."""
    rows = {}
    for entry in journal.between(None, last):
        for posting in entry.postings:
            key = (posting.account, posting.amount.currency)
            debit, credit = rows.get(key, (0, 0))
            if posting.amount.units >= 0:
                debit += posting.amount.units
            else:
                credit += posting.amount.units
            rows[key] = (debit, credit)
    return dict(sorted(rows.items()))


def running(journal, account, currency):
    """Each posting of an account with the balance after it: day, text, change, balance."""
    total = 0
    sign = natural_sign(account)
    rows = []
    for entry in journal:
        for posting in entry.postings:
            if posting.account == account and posting.amount.currency == currency:
                change = sign * posting.amount.units
                total += change
                rows.append((entry.day, entry.text, change, total))
    return rows


def by_month(journal, account, currency):
    """The change of an account in each month from the first to the last entry, months without entries included."""
    sums = defaultdict(int)
    for entry in journal:
        for posting in entry.postings:
            if is_below(posting.account, account) and posting.amount.currency == currency:
                sums[entry.day.year, entry.day.month] += natural_sign(account) * posting.amount.units
    if not sums:
        return {}
    year, month = min(sums)
    last = max(sums)
    found = {}
    while (year, month) <= last:
        found[f"{year:04d}-{month:02d}"] = Money(sums.get((year, month), 0), currency)
        year, month = min((key for key in sums if key > (year, month)), default=(year + 1, 1))
    return found


def income_statement(journal, first, last, rates, currency):
    """Income, expenses and profit of a period in one currency, each posting converted at the rate of its day."""
    sums = {"income": 0, "expenses": 0}
    for entry in journal.between(first, last):
        for posting in entry.postings:
            root = root_of(posting.account)
            if root in sums:
                amount = rates.convert(posting.amount, currency, entry.day)
                sums[root] += natural_sign(posting.account) * amount.units
    return {
        "income": Money(sums["income"], currency),
        "expenses": Money(sums["expenses"], currency),
        "profit": Money(sums["income"] - sums["expenses"], currency),
    }
