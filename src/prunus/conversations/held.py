"""The conversations that a process holds, within limits on number, size and age.

Threads share them. A lock protects the collection, and a search works on a copy.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, TypeVar

from prunus.conversations.beginnings import Beginnings
from prunus.conversations.conversation import Body, Conversation, Loader
from prunus.conversations.memory import ConversationRecord, Match
from prunus.providers import Frame, Objects, frame, read_objects, resume
from prunus.schedule.cache_life import Lifetime
from prunus.settings.tables import Limits

T = TypeVar("T")

SHORT: Final = 32 * 1024
"""Bytes of new messages that an engine looks at in a few milliseconds, if they are few."""
FEW: Final = 12
"""Messages that an engine looks at in a few milliseconds, if they are short."""


@dataclass(frozen=True, slots=True)
class Glance:
    """A body cut into its messages, before anything is known of its conversation."""

    read: Body
    equal: dict[Conversation, int]
    """For each conversation that begins like it, how many of its messages have equal bytes."""

    @property
    def is_short(self) -> bool:
        """Whether the body is short, not counting messages that it shares with a conversation."""
        shared = max(self.equal.values(), default=0)
        if not isinstance(self.read, Frame) or len(self.read) - shared > FEW:
            return False
        return self.read.size - (self.read.ends[shared - 1] if shared else 0) <= SHORT


@dataclass(frozen=True, slots=True)
class Request:
    """One parsed request."""

    body: Any
    """The body as the caller gave it."""
    read: Body
    load: Loader
    now: float
    model: str
    owner: str
    client: str
    """The agent that sends it, if the caller names one."""
    equal: dict[Conversation, int]
    """For each conversation that begins like it, how many of its messages have equal bytes."""
    lifetime: Lifetime
    """How long its cache marks should keep the cache alive."""

    def __len__(self) -> int:
        return len(self.read)


class Conversations:
    """Finds the conversation that a request continues, and forgets conversations that were idle for long."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held: OrderedDict[str, Conversation] = OrderedDict()
        """By name, the one with the oldest request first."""
        self._beginnings = Beginnings[Conversation]()
        self._size = 0
        self._lock = Lock()

    def __iter__(self) -> Iterator[Conversation]:
        """Yield all conversations, the one with the oldest request first."""
        with self._lock:
            return iter(tuple(self._held.values()))

    def __getitem__(self, index: int) -> Conversation:
        with self._lock:
            return tuple(self._held.values())[index]

    def __contains__(self, conversation: Conversation) -> bool:
        return self._held.get(conversation.memo.id) is conversation

    def __len__(self) -> int:
        return len(self._held)

    def glance(self, given: Any, format: str | None, owner: str) -> Glance:
        """Cut a body into its messages.

        The beginning that the body shares with the newest body of a conversation is not scanned again.
        """
        kind = Frame if isinstance(given, bytes) else Objects
        equal: dict[Conversation, int] = {}
        with self._lock:
            candidates = tuple(self._beginnings.like(given))
        for candidate in candidates:
            last = candidate.last
            if isinstance(last, kind) and candidate.owner == owner and format in (None, last.format.name):
                shared = last.shared(given)
                if shared:
                    equal[candidate] = shared
        best = max(equal, key=lambda one: equal[one], default=None)
        return Glance(
            _read(given, best.last if best is not None else None, equal[best] if best else 0, format), equal
        )

    def find(self, request: Request) -> Sequence[Match]:
        """Return the conversations that a request may continue; see `Memory.find`."""
        if not len(request):
            return ()
        # Equal bytes have the same hash, so the first message need not be hashed again.
        first = next((one.digests[0] for one in request.equal if one.digests), None) or request.load.digest(0)
        with self._lock:
            candidates = self._beginnings.with_first(first)
        known = [
            Match(one.memo.id, len(one.digests), one.saved, shared)
            for one in candidates
            if (shared := self._shared(one, request))
        ]
        known.reverse()
        deepest = max(known, key=lambda found: found.shared, default=None)
        return () if deepest is None else (deepest, *(one for one in known if not one.left and one is not deepest))

    def continuing(self, request: Request, memo: ConversationRecord) -> Conversation | None:
        """Return the held conversation, if a request that continues it can start from its state."""
        held = self.named(memo.id)
        if held is None:
            return None
        known = len(held.digests)
        return held if 0 < known <= memo.depth and self._shared(held, request) == known else None

    def _shared(self, conversation: Conversation, request: Request) -> int:
        if conversation.last.format is not request.read.format or conversation.owner != request.owner:
            return 0
        return conversation.shared(request.load, len(request), request.equal.get(conversation, 0))

    def named(self, id: str) -> Conversation | None:
        """Return the conversation of this name, or None."""
        return self._held.get(id)

    def inspect(self, id: str, work: Callable[[Conversation], T]) -> T | None:
        """Return what `work` reads from the newest state of a conversation; None if that state is not held."""
        held = self.named(id)
        if held is None:
            return None
        with held.lock:
            if len(held.engine.view.turns) != len(held.last) or held.in_force is None:
                return None
            with held.engine.at(Loader(held.last)):
                return work(held)

    def remember(self, conversation: Conversation) -> None:
        """Hold a conversation, and forget the oldest ones while the limits are exceeded."""
        limits, memo = self._limits, conversation.memo
        with self._lock:
            self._drop(memo.id)
            conversation.held = conversation.size
            self._size += conversation.held
            self._held[memo.id] = conversation
            first = conversation.digests[0] if conversation.digests else b""
            self._beginnings.add(conversation, first, conversation.last)
            while self._held:
                name, oldest = next(iter(self._held.items()))
                if (
                    len(self._held) <= limits.conversations
                    and self._size <= limits.memory
                    and memo.seen - oldest.memo.seen <= limits.idle
                ):
                    break
                self._drop(name)

    def forget(self, conversation: Conversation) -> None:
        """Stop holding a conversation."""
        with self._lock:
            if conversation in self:
                self._drop(conversation.memo.id)

    def _drop(self, name: str) -> None:
        dropped = self._held.pop(name, None)
        if dropped is not None:
            self._beginnings.remove(dropped)
            self._size -= dropped.held


def _read(body: Any, known: Body | None, shared: int, format: str | None) -> Body:
    if not isinstance(body, bytes):
        return read_objects(body, known if isinstance(known, Objects) else None, shared, format)
    rest = resume(known, body, shared, format) if isinstance(known, Frame) else None
    return frame(body, format) if rest is None else rest
