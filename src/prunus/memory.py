"""What is known of conversations beyond one process.

A conversation is recognised by its chained message hashes: link n names messages 0 to n together, so one look-up
of the deepest known link finds it, whatever process or replica saw it before. A history that left the known one
half way, by undo or as a fork, is found by the last link that they share.

Conversations that have ended tell how long others will last (`policy/requests.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, Protocol

from prunus.policy.account import Account
from prunus.policy.ledger import Ledger
from prunus.policy.requests import Requests

__all__ = ["PAST", "Memo", "Memory", "Past", "chain"]

PAST: Final = 500
"""Conversations that have ended whose lengths are looked at, the newest."""
_ENDED: Final = 3_600.0
"""Seconds without a request after which a conversation counts as ended."""
_FRESH: Final = 600.0
"""Seconds for which what the memory said is good."""


@dataclass(frozen=True, slots=True)
class Memo:
    """One conversation as it was after its newest request."""

    id: str
    ledger: Ledger
    depth: int
    """Messages of the newest request."""
    requests: int
    """Requests so far."""
    seen: float
    """Time of the newest request."""
    prompt: bytes
    """Hash of model, system text and tools."""
    account: Account = field(default_factory=Account)


class Memory(Protocol):
    """Keeps memos; what it loses costs a cache miss at most."""

    def recall(self, links: Sequence[bytes]) -> tuple[Memo, int] | None:
        """The conversation that holds the deepest of these links (oldest first), and which of them it is."""

    def keep(self, memo: Memo, links: Sequence[bytes]) -> None:
        """Remember a conversation; `links` are those of its newest messages, the last one of message `depth`."""

    def lengths(self, before: float) -> Sequence[int]:
        """The requests of the newest conversations, at most `PAST`, that have had none since this time."""


class Past:
    """How long conversations have lasted: by the memory, or as far as one process can tell.

    It is looked up every ten minutes, as of a full ten minutes, so that two processes with one memory say the same,
    but for conversations that have just been resumed.
    A memory that fails costs a worse estimate until the next time, never a request.
    """

    def __init__(self, memory: Memory | None) -> None:
        self._memory = memory
        self._forgotten: deque[int] = deque(maxlen=PAST)
        self._as_of: float | None = None
        self._requests = Requests()

    def forget(self, requests: int) -> None:
        """Note the length of a conversation that this process does not hold any more."""
        self._forgotten.append(requests)

    def requests(
        self, now: float, held: Iterable[tuple[float, int]], asked: tuple[float, int] | None = None
    ) -> Requests:
        """What is known now, each conversation given as the time of its newest request and how many there were.

        `held` are those of this process, `asked` is the one that goes on with this request: if it was taken to have
        ended, it has not, and does not count.
        """
        as_of = now // _FRESH * _FRESH
        counted = as_of == self._as_of or self._memory is not None
        if as_of != self._as_of:
            self._as_of = as_of
            # Whatever a memory of someone's own may raise, an estimate is not worth a request.
            with suppress(Exception):
                self._requests = Requests.of(self._lengths(as_of - _ENDED, held))
        if asked is not None and counted and asked[0] < as_of - _ENDED:
            self._requests = self._requests.without(asked[1])
        return self._requests

    def _lengths(self, before: float, held: Iterable[tuple[float, int]]) -> Sequence[int]:
        if self._memory is not None:
            return self._memory.lengths(before)
        return (*self._forgotten, *(requests for seen, requests in held if seen < before))


def chain(digests: Iterable[bytes], link: bytes) -> list[bytes]:
    """The links of these messages, continuing from the link before them."""
    links = []
    for digest in digests:
        link = blake2b(link + digest, digest_size=16).digest()
        links.append(link)
    return links
