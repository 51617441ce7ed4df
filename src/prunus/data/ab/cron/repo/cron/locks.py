"""Locks that end by themselves."""

from datetime import timedelta


class Locks:
    """Names that one owner holds until a time."""

    def __init__(self):
        self._held = {}

    def take(self, name, owner, now, seconds):
        """Take a lock, or keep it for longer. Return whether the owner has it now."""
        held = self._held.get(name)
        if held is not None and held[0] != owner and held[1] >= now:
            return False
        self._held[name] = (owner, now + timedelta(seconds=seconds))
        return True

    def release(self, name, owner):
        """Give a lock back. Return whether the owner had it."""
        held = self._held.get(name)
        if held is None or held[0] != owner:
            return False
        del self._held[name]
        return True

    def holder(self, name, now):
        """Who has a lock, or None."""
        held = self._held.get(name)
        return held[0] if held is not None and held[1] > now else None
