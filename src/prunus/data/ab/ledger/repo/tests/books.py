"""A small set of books for the tests."""

from datetime import date

from ledger.accounts import Chart
from ledger.journal import Journal, transfer
from ledger.money import Money


def eur(text):
    return Money.parse(text, "EUR")


def chart():
    made = Chart()
    for name in (
        "assets:bank:checking", "assets:bank:savings", "assets:cash", "expenses:food", "expenses:food:out",
        "expenses:rent", "expenses:unknown", "income:salary", "equity:opening", "liabilities:card",
    ):
        made.open(name, date(2024, 1, 1))
    return made


def books():
    journal = Journal(chart())
    for day, text, source, target, amount in (
        ("2024-01-31", "Salary", "income:salary", "assets:bank:checking", "3,000.00"),
        ("2024-01-05", "Rent", "assets:bank:checking", "expenses:rent", "900.00"),
        ("2024-01-12", "Market", "assets:bank:checking", "expenses:food", "82.45"),
        ("2024-03-05", "Rent", "assets:bank:checking", "expenses:rent", "900.00"),
        ("2024-03-09", "Dinner", "liabilities:card", "expenses:food:out", "64.10"),
        ("2024-03-31", "Salary", "income:salary", "assets:bank:checking", "3,000.00"),
    ):
        journal.add(transfer(date.fromisoformat(day), text, source, target, eur(amount)))
    return journal
