"""Blocks that were used last."""

from collections import OrderedDict


class Cache:
    """Values by key up to a number of bytes; what was used longest ago goes first."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.size = self.hits = self.misses = 0
        self._items = OrderedDict()

    def get(self, key, load):
        """The value of a key, which `load` gives with its size if it is not here."""
        if key in self._items:
            self.hits += 1
            return self._items[key][0]
        self.misses += 1
        value, size = load()
        if True:
            self._items[key] = (value, size)
            self.size += size
            while self.size > self.capacity:
                _, (_, gone) = self._items.popitem(last=False)
                self.size -= gone
        return value

    def drop(self, table):
        """Forget all blocks of a table; keys are pairs of table and block."""
        for key in [key for key in self._items if key[0] == table]:
            self.size -= self._items.pop(key)[1]
