"""Finds the conversations that begin as a request does, without a look at all the others.

A process may hold thousands of conversations. Each is filed by the hash of its first message, and, if its newest
body came as bytes, by the last bytes of that message and where they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from prunus.conversation import Conversation
from prunus.providers import Frame

Group = dict[Conversation, None]
"""Conversations, in the order in which they were filed."""


class _Place(NamedTuple):
    """Where a conversation is filed."""

    first: bytes
    """The hash of its first message."""
    end: int
    """Where its first message ends; -1 if its body is no bytes, or has no message."""
    tail: bytes
    """The last bytes of that message."""


class Beginnings:
    """Conversations by how they begin. The caller sees to it that one thread at a time changes it."""

    def __init__(self) -> None:
        self._places: dict[Conversation, _Place] = {}
        self._by_first: dict[bytes, Group] = {}
        self._by_end: dict[int, dict[bytes, Group]] = {}
        self._others: Group = {}
        """Those whose bodies are objects."""

    def add(self, conversation: Conversation) -> None:
        """File a conversation as it is now, which is then the newest one."""
        self.remove(conversation)
        last = conversation.last
        end, tail = last.first_end if isinstance(last, Frame) else (-1, b"")
        place = _Place(conversation.digests[0] if conversation.digests else b"", end, tail)
        self._places[conversation] = place
        self._by_first.setdefault(place.first, {})[conversation] = None
        if end >= 0:
            self._by_end.setdefault(end, {}).setdefault(tail, {})[conversation] = None
        else:
            self._others[conversation] = None

    def remove(self, conversation: Conversation) -> None:
        """Take a conversation out, if it is here."""
        place = self._places.pop(conversation, None)
        if place is None:
            return
        _take(self._by_first, place.first, conversation)
        self._others.pop(conversation, None)
        tails = self._by_end.get(place.end)
        if tails is not None:
            _take(tails, place.tail, conversation)
            if not tails:
                del self._by_end[place.end]

    def with_first(self, digest: bytes) -> list[Conversation]:
        """Return the conversations whose first message has this hash, the newest last."""
        return list(self._by_first.get(digest, ()))

    def like(self, body: Any) -> Iterator[Conversation]:
        """Return the conversations whose newest body may begin as this one does; a comparison has to follow."""
        if not isinstance(body, bytes):
            yield from self._others
            return
        for end, tails in self._by_end.items():
            found = tails.get(Frame.tail(body, end))
            if found is not None:
                yield from found


def _take(groups: dict[bytes, Group], name: bytes, conversation: Conversation) -> None:
    group = groups[name]
    del group[conversation]
    if not group:
        del groups[name]
