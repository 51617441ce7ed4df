"""What is known of conversations beyond one process.

A conversation is recognised by its chained message hashes: link n names messages 0 to n together, so one look-up
of the deepest known link finds it, whatever process or replica saw it before. A history that left the known one
half way, by undo or as a fork, is found by the last link that they share.

Every decision about a request rests on the memo of its conversation and on the request itself. So any replica that
shares the memory decides alike; what a process holds besides only saves it from looking at the messages again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Protocol

from prunus.reuse.experience import Experience
from prunus.reuse.learning import Learned
from prunus.schedule.account import Account
from prunus.schedule.cache_life import CacheLife, Hindsight
from prunus.schedule.ledger import Ledger, Written


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """One conversation as it was after its newest request."""

    id: str
    ledger: Ledger
    depth: int
    """Messages of the newest request."""
    requests: int
    """Requests so far; of two memos of one conversation the one with more is newer."""
    seen: float
    """Time of the newest request."""
    prompt: bytes
    """Hash of model, system text and tools."""
    account: Account = field(default_factory=Account)
    learned: Learned = field(default_factory=Learned)
    """What it took at its start from the experience with its agent."""
    life: CacheLife = field(default_factory=CacheLife)

    @property
    def refreshed(self) -> float:
        """When the provider's cache was read or written last, by a request or by a keep-alive request."""
        return max(self.seen, self.life.kept)


@dataclass(frozen=True, slots=True)
class Match:
    """A conversation that begins like a request."""

    id: str
    depth: int
    requests: int
    shared: int
    """How many messages they have in common."""

    @property
    def left(self) -> int:
        """Messages that the request does not have."""
        return self.depth - self.shared


def nothing_else() -> None:
    """No further changes, see `Memory.keep`."""


class Memory(Protocol):
    """Keeps memos; what it loses costs a cache miss at most.

    A memory that several processes share raises OutOfReach where it does not answer. A memory of one process acts
    as if it had forgotten.
    """

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        """The conversations that a request with these links may build on.

        Links come oldest first. The first one found is the conversation that was the last to send the deepest known
        link. Where the request does not simply continue it, those follow that end at one of the links behind.
        """

    def load(self, id: str) -> ConversationRecord | None:
        """A conversation as it was kept last."""

    def written(self, id: str) -> Mapping[int, Written | None]:
        """The messages of a conversation that were not sent as they came, as they were sent last."""

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
    ) -> None:
        """Remember a conversation.

        `links` are those of its newest messages, the last one of message `depth`. `written` are the messages that
        are sent in another form than with the request before, None for one that is sent as it came again. `also`
        makes further changes in the same store; they are saved together with the memo, or not at all.

        Raises Overtaken if the memory knows a state with as many requests as the memo, or more. A memory that
        several processes share raises NotKept if it did not save the memo, and MayBeKept if it may have saved it.
        """

    def experience(self, client: str) -> Experience:
        """What the cuts in all conversations of an agent led to."""

    def refresh(self, id: str, requests: int, time: float) -> bool:
        """Remember the time of a keep-alive request; False where the conversation has gone on in the meantime."""

    def hindsight(self) -> Hindsight:
        """What other lives of the cache would have saved in the newest conversations."""


def chain(digests: Iterable[bytes], link: bytes) -> list[bytes]:
    """The links of these messages, continuing from the link before them."""
    links = []
    for digest in digests:
        link = blake2b(link + digest, digest_size=16).digest()
        links.append(link)
    return links
