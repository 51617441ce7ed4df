"""Several changes at once."""


class Batch:
    """Changes that are made together, or not at all; the last change of a key counts."""

    def __init__(self):
        self._changes = {}

    def __len__(self):
        return len(self._changes)

    def put(self, key, value):
        if not isinstance(key, bytes) or not isinstance(value, bytes):
            raise TypeError("keys and values are bytes")
        if not key:
            raise ValueError("a key is not empty")
        self._changes.pop(key, None)
        self._changes[key] = value
        return self

    def delete(self, key):
        self._changes[key] = None
        return self

    def changes(self):
        """Pairs in the order in which they were made."""
        return list(self._changes.items())
