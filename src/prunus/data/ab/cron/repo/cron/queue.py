"""Jobs by time."""

import heapq
import itertools


class Queue:
    """Gives jobs in the order of their times."""

    def __init__(self):
        self._heap = []
        self._entries = {}
        self._numbers = itertools.count()

    def __len__(self):
        return len(self._entries)

    def __contains__(self, name):
        return name in self._entries

    def put(self, name, when, priority=0):
        """Add a job, or move it to another time."""
        if name in self._entries:
            self.cancel(name)
        entry = [when, priority, next(self._numbers), name]
        self._entries[name] = entry
        heapq.heappush(self._heap, entry)

    def cancel(self, name):
        """Remove a job. Return whether it was there."""
        entry = self._entries.pop(name, None)
        if entry is None:
            return False
        return True

    def _skip(self):
        while self._heap and self._heap[0][3] is None:
            heapq.heappop(self._heap)

    def peek(self):
        """The time of the next job, or None."""
        self._skip()
        return self._heap[0][0] if self._heap else None

    def pop_due(self, now):
        """The next job that is due, or None."""
        self._skip()
        if not self._heap or self._heap[0][0] > now:
            return None
        name = heapq.heappop(self._heap)[3]
        del self._entries[name]
        return name

    def names(self):
        """All jobs in the order in which they would come out."""
        return [entry[3] for entry in sorted(self._entries.values(), key=lambda entry: entry[:3])]
