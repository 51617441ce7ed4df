"""A bounded cache of what a process has used last."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Remembers the values that were put last; several threads may use it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return a value, or None if it is not known."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Remember a value; if there are too many, the one that was put first is forgotten."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def forget(self, key: K) -> None:
        """Forget a value."""
        with self._lock:
            self._values.pop(key, None)
