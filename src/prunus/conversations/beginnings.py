"""Finds conversations that begin like a request, without comparing it with all of them.

A process may hold thousands of conversations. Each is filed by the hash of its first message. If its newest body
came as bytes, it is also filed by the last bytes of the first message and their position.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from prunus.providers import Frame

T = TypeVar("T")
OrderedSet = dict[T, None]
"""The items with one key, in the order in which they were filed."""


class _Place(NamedTuple):
    """The keys under which a body is filed."""

    first: bytes
    """The hash of its first message."""
    end: int
    """Where its first message ends; -1 if the body came as objects or has no message."""
    tail: bytes
    """The last bytes of that message."""


class Beginnings(Generic[T]):
    """Items, such as conversations, by how they begin. Only one thread at a time may change the index."""

    def __init__(self) -> None:
        self._places: dict[T, _Place] = {}
        self._by_first: dict[bytes, OrderedSet[T]] = {}
        self._by_end: dict[int, dict[bytes, OrderedSet[T]]] = {}

    def __bool__(self) -> bool:
        return bool(self._places)

    def add(self, item: T, first: bytes, body: object) -> None:
        """File an item under the hash of its first message and its newest body; it is then the newest item."""
        self.remove(item)
        end, tail = body.first_end if isinstance(body, Frame) else (-1, b"")
        self._places[item] = _Place(first, end, tail)
        self._by_first.setdefault(first, {})[item] = None
        self._by_end.setdefault(end, {}).setdefault(tail, {})[item] = None

    def remove(self, item: T) -> None:
        """Take an item out, if it is here."""
        place = self._places.pop(item, None)
        if place is None:
            return
        _take(self._by_first, place.first, item)
        tails = self._by_end[place.end]
        _take(tails, place.tail, item)
        if not tails:
            del self._by_end[place.end]

    def with_first(self, digest: bytes) -> list[T]:
        """Return the items whose first message has this hash, the newest last."""
        return list(self._by_first.get(digest, ()))

    def like(self, body: Any) -> Iterator[T]:
        """Return the items whose body may begin as this one does, the newest last; a comparison has to follow."""
        if not isinstance(body, bytes):
            yield from self._by_end.get(-1, {}).get(b"", ())
            return
        for end, tails in self._by_end.items():
            if end >= 0:
                yield from tails.get(Frame.tail(body, end), ())


def _take(groups: dict[bytes, OrderedSet[T]], name: bytes, item: T) -> None:
    group = groups[name]
    del group[item]
    if not group:
        del groups[name]
