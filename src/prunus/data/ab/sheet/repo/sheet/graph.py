"""Which cell needs which."""


class Graph:
    """Edges from cells to those that they need, and back."""

    def __init__(self):
        self._needs = {}
        self._needed_by = {}

    def set(self, key, needs):
        """Note what a cell needs, in place of what it needed before."""
        if needs:
            self._needs[key] = set(needs)
            for one in needs:
                self._needed_by.setdefault(one, set()).add(key)

    def needs(self, key):
        """What a cell needs."""
        return self._needs.get(key, set())

    def dependents(self, keys):
        """The cells, and all that depend on them, directly or not."""
        found = set(keys)
        waiting = list(keys)
        while waiting:
            for one in self._needed_by.get(waiting.pop(), ()):
                if one not in found:
                    found.add(one)
                    waiting.append(one)
        return found

    def order(self, keys):
        """The cells so that each comes after what it needs, and the set of those that no order can have."""
        keys = set(keys)
        open_needs = {key: len(self.needs(key)) for key in keys}
        ready = sorted(key for key, count in open_needs.items() if count == 0)
        ordered = []
        while ready:
            key = ready.pop()
            ordered.append(key)
            for one in sorted(self._needed_by.get(key, ())):
                if one in open_needs:
                    open_needs[one] -= 1
                    if open_needs[one] == 0:
                        ready.append(one)
        return ordered, keys - set(ordered)
