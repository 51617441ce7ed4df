"""Keeps the newest request of each conversation, so that only the new messages of the next request cost work.

A comparison of bytes shows which messages a request shares with the request before it. The shared steps are reused
as they were restored. Only the steps behind them are parsed and looked up in the store.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from prunus.agent.steps import Step, draft, steps_from
from prunus.conversations.beginnings import Beginnings
from prunus.providers import Frame, frame, resume
from prunus.providers.provider import Api
from prunus.providers.rewriting import Change
from prunus.text.fingerprint import fingerprint


@dataclass(frozen=True, slots=True)
class Found:
    """The records that were found for some keys."""

    records: Mapping[str, bytes]
    whole: bool = True
    """Whether these are all records. False if the store did not answer."""


Lookup = Callable[[Iterable[str]], Found]
"""Looks up the records of some keys."""


@dataclass(frozen=True, slots=True, eq=False)
class Thread:
    """A request that is cut into steps."""

    root: bytes
    """The link before the first message."""
    hides: bool
    """Whether hidden exchanges are restored in this request."""
    cut: Frame
    steps: Sequence[Step]
    size: int
    """The bytes that this value holds, roughly."""
    first: bytes
    """The hash of the first message."""

    @property
    def next(self) -> bytes:
        """The link before the model's next words."""
        return self.steps[-1].next if self.steps else self.root

    def changes(self) -> list[Change]:
        """Return the changes of the body that restore hidden exchanges and intents."""
        starts, ends = self.cut.starts, self.cut.ends
        return [
            (starts[step.start], ends[step.end - 1], step.written)
            for step in self.steps
            if step.written is not None
        ]

    def continues(self, other: Thread) -> bool:
        """Whether this request holds all steps of another request, apart from the newest step of that one."""
        last = len(other.steps) - 2
        return last < 0 or (last < len(self.steps) and self.steps[last].after == other.steps[last].after)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request that is cut into its messages, and the request before it, if that is known."""

    root: bytes
    cut: Frame
    api: Api
    known: Thread | None
    shared: int
    """How many messages at the start have the same bytes in both requests."""

    @property
    def first(self) -> bytes:
        """The hash of the first message. It is taken from the known request if the bytes are equal."""
        if self.known is not None and self.shared:
            return self.known.first
        return fingerprint(self.cut.raw(0)) if len(self.cut) else b""

    @property
    def grown(self) -> bool:
        """Whether this request holds all messages of the known request, apart from the newest message."""
        return self.known is not None and self.shared >= len(self.known.cut) - 1


class Threads:
    """Keeps the newest request of each conversation, up to a limit."""

    def __init__(self, count: int, size: int, *, intents: bool) -> None:
        """Keep at most `count` requests and `size` bytes. With `intents`, the intents of calls are restored."""
        self._count = count
        self._size = size
        self._intents = intents
        self._held = 0
        self._threads: dict[Thread, None] = {}
        """The oldest first."""
        self._beginnings: dict[bytes, Beginnings[Thread]] = {}
        """The same threads by their roots."""
        self._lock = Lock()

    def arrive(self, body: bytes, api: Api, root: bytes) -> Arrival:
        """Cut a body into its messages. Messages that an earlier request had are not scanned again."""
        with self._lock:
            beginnings = self._beginnings.get(root) or Beginnings[Thread]()
            known = list(beginnings.like(body))
        best, most = _closest(known, lambda one: one.cut.shared(body))
        cut = None if best is None else resume(best.cut, body, most, api.name)
        if cut is None:
            cut = whole = frame(body, api.name)
            with self._lock:
                known = beginnings.with_first(fingerprint(whole.raw(0))) if len(whole) else []
            best, most = _closest(known, lambda one: _equal(one.cut, whole))
        return Arrival(root, cut, api, best, most)

    def read(self, arrival: Arrival, lookup: Lookup, *, hides: bool) -> Thread:
        """Cut a request into steps, and restore their hidden exchanges and intents."""
        if not hides and not self._intents:
            # Nothing was ever hidden from the client, so there is nothing to restore.
            thread = Thread(arrival.root, hides, arrival.cut, (), arrival.cut.size, arrival.first)
            self._remember(thread, arrival.known if arrival.grown else None)
            return thread
        known = arrival.known if arrival.known is not None and arrival.known.hides == hides else None
        # A step is over once the model has spoken behind it.
        taken = known.steps[: bisect_left(known.steps, arrival.shared, key=lambda step: step.end)] if known else ()
        start, link = (taken[-1].end, taken[-1].after) if taken else (0, arrival.root)
        cut, api = arrival.cut, arrival.api
        drafts = [
            draft(api, *new, hidden=hides, intents=self._intents) for new in steps_from(cut, api, start, link)
        ]
        keys = [key for one in drafts for key in one.all_keys()]
        found = lookup(keys) if keys else Found({})
        steps = [*taken, *(one.restore(api, found.records) for one in drafts)]
        size = cut.size + sum(len(step.written) for step in steps if step.written is not None)
        thread = Thread(arrival.root, hides, cut, steps, size, arrival.first)
        if found.whole:
            self._remember(thread, known if known is not None and thread.continues(known) else None)
        return thread

    def _remember(self, thread: Thread, known: Thread | None) -> None:
        """Keep a request in place of the request before it, if that is known."""
        with self._lock:
            if known is not None:
                self._forget(known)
            self._threads[thread] = None
            self._held += thread.size
            self._beginnings.setdefault(thread.root, Beginnings()).add(thread, thread.first, thread.cut)
            while self._threads and (len(self._threads) > self._count or self._held > self._size):
                self._forget(next(iter(self._threads)))

    def _forget(self, thread: Thread) -> None:
        if thread in self._threads:
            del self._threads[thread]
            self._held -= thread.size
            beginnings = self._beginnings[thread.root]
            beginnings.remove(thread)
            if not beginnings:
                del self._beginnings[thread.root]


def _closest(known: Sequence[Thread], shared: Callable[[Thread], int]) -> tuple[Thread | None, int]:
    """Return the known request that shares the most messages, and their number; the newest one wins a tie."""
    best, most = None, 0
    for one in reversed(known):
        count = shared(one)
        if count > most:
            best, most = one, count
        if count and count == len(one.cut):
            break
    return best, most


def _equal(one: Frame, other: Frame) -> int:
    """Return how many messages at the start of two bodies have the same bytes."""
    both = range(min(len(one), len(other)))
    return next((index for index in both if one.raw(index) != other.raw(index)), len(both))
