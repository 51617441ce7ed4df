"""The tree of accounts."""

DEBIT = {"assets", "expenses"}
CREDIT = {"liabilities", "income", "equity"}


class UnknownAccount(KeyError):
    """An account that was not opened."""


def root_of(name):
    """The first step of an account's name."""
    return name.split(":", 1)[0]


def is_below(name, parent):
    """Whether an account is another one or lies below it."""
    return name.startswith(parent)


def natural_sign(name):
    """1 for accounts that grow on the debit side, -1 for the others."""
    root = root_of(name)
    if root in DEBIT:
        return 1
    if root in CREDIT:
        return -1
    raise UnknownAccount(name)


class Chart:
    """The accounts that are open, each with the days between which it may be used."""

    def __init__(self):
        self._open = {}
        self._closed = {}

    def open(self, name, day):
        """Open an account, and its parents with it."""
        natural_sign(name)
        steps = name.split(":")
        for count in range(1, len(steps) + 1):
            parent = ":".join(steps[:count])
            known = self._open.get(parent)
            if known is None or day > known:
                self._open[parent] = day

    def close(self, name, day):
        """Close an account: it may be used up to that day and on it."""
        if name not in self._open:
            raise UnknownAccount(name)
        self._closed[name] = day

    def check(self, name, day):
        """Raise if an account cannot be used on a day."""
        if name not in self._open:
            raise UnknownAccount(name)
        if day < self._open[name]:
            raise ValueError(f"{name} is not open on {day}")
        for closed, end in self._closed.items():
            if is_below(name, closed) and day > end:
                raise ValueError(f"{name} was closed on {end}")

    def names(self, parent=None):
        """All accounts, or those below one, in order of their names."""
        return sorted(name for name in self._open if parent is None or is_below(name, parent))

    def leaves(self):
        """Accounts without accounts below them."""
        names = self.names()
        return [name for name in names if not any(other != name and is_below(other, name) for other in names)]
