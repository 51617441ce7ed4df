"""The newest changes."""

import bisect


class Memory:
    """Keys in order with their values; None is a mark of deletion."""

    def __init__(self):
        self._keys = []
        self._values = {}
        self.size = 0

    def __len__(self):
        return len(self._keys)

    def put(self, key, value):
        """Note a value, or a deletion."""
        if key not in self._values:
            bisect.insort(self._keys, key)
            self.size += len(key)
        self._values[key] = value
        self.size += len(value or b"")

    def get(self, key):
        """Whether the key is known here, and its value."""
        return self._values.get(key) is not None, self._values.get(key)

    def items(self, start=b"", end=None):
        """Pairs from `start` on and before `end`."""
        first = bisect.bisect_left(self._keys, start)
        last = len(self._keys) if end is None else bisect.bisect_left(self._keys, end)
        return [(key, self._values[key]) for key in self._keys[first:last]]
