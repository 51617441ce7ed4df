"""Range sums over a list that grows and changes, in logarithmic time."""

from __future__ import annotations


class Sums:
    """A Fenwick tree: appends, changes and sums without walking the whole list."""

    __slots__ = ("_tree", "_values")

    def __init__(self) -> None:
        self._tree: list[int] = [0]
        self._values: list[int] = []

    def __len__(self) -> int:
        return len(self._values)

    def append(self, value: int) -> None:
        """Put a value at the end."""
        self._values.append(value)
        at, step = len(self._values), 1
        while at & step == 0:
            value += self._tree[at - step]
            step *= 2
        self._tree.append(value)

    def add(self, index: int, amount: int) -> None:
        """Change one value."""
        self._values[index] += amount
        at = index + 1
        while at < len(self._tree):
            self._tree[at] += amount
            at += at & -at

    def before(self, index: int) -> int:
        """Return the sum of all values before an index."""
        total = 0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def between(self, start: int, end: int) -> int:
        """Return the sum of the values from `start` up to, but not including, `end`."""
        return self.before(end) - self.before(start)
