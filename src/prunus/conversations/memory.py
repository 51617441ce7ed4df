"""The state of conversations that several processes share.

A conversation is recognised by its chained message hashes. Link n identifies the messages 0 to n together, so
looking up the deepest known link finds the conversation, whichever process or replica saw it before. A history that
branched off by undo or as a fork is found by the last link that both share.

Every decision about a request depends on the memo of its conversation and on the request alone. So all replicas
that share the memory decide alike. Anything else that a process holds only saves it from looking at the messages
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from prunus.reuse.asked_again import Experience
from prunus.reuse.learning import Learned
from prunus.schedule.cache_life import CacheLife, Hindsight
from prunus.schedule.ledger import Ledger, Written
from prunus.schedule.plan import Account


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """The memo of a conversation: its state after its newest request."""

    id: str
    ledger: Ledger
    depth: int
    """The number of messages of the newest request."""
    requests: int
    """The number of requests so far. Of two memos of one conversation, the one with more requests is newer."""
    seen: float
    """Time of the newest request."""
    prompt: bytes
    """Hash of model, system text and tools."""
    account: Account = field(default_factory=Account)
    learned: Learned = field(default_factory=Learned)
    """What the conversation learned at its start from earlier ones of its agent."""
    life: CacheLife = field(default_factory=CacheLife)

    @property
    def refreshed(self) -> float:
        """When a request or a keep-alive request last read or wrote the provider's cache."""
        return max(self.seen, self.life.kept)


@dataclass(frozen=True, slots=True)
class Match:
    """A conversation that begins like a request."""

    id: str
    depth: int
    requests: int
    shared: int
    """How many messages the conversation and the request share."""
    commands: bool = True
    """Whether commands that the user gave outside of the conversation may be waiting for it."""

    @property
    def left(self) -> int:
        """How many messages of the conversation the request lacks."""
        return self.depth - self.shared


class Recalled(NamedTuple):
    """What a memory returns when a process asks for the conversation of a request."""

    matches: Sequence[Match] = ()
    """See `Memory.find`."""
    memo: Callable[[], ConversationRecord | None] | None = None
    """Returns the newest saved memo of the first match, if the memory has read it too; else ask `Memory.load`."""
    experience: Experience | None = None
    """The experience with the agent, if the memory has read it too; else ask `Memory.experience`."""


def nothing_else() -> None:
    """Make no further changes; see `Memory.keep`."""


class Memory:
    """Saves memos; this one forgets them. Losing a memo costs a cache miss at most.

    A memory that several processes share raises OutOfReach if it does not answer. A memory of one process acts as
    if it had forgotten.
    """

    checks: bool = False
    """Whether `keep` takes `follows`, so that a request of a known conversation need not call `find` first."""

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        """Return the conversations that a request with these links may continue.

        Links come oldest first. The first match is the conversation that was the last to send the deepest known
        link. If the request does not simply continue it, conversations follow that end at one of the earlier links.
        """
        return ()

    def recall(self, links: Sequence[bytes], client: str) -> Recalled:
        """Return what `find` returns, and what a request of this agent needs next if that costs no further wait."""
        return Recalled(self.find(links))

    def load(self, id: str) -> ConversationRecord | None:
        """Return the newest saved memo of a conversation."""
        return None

    def written(self, id: str) -> Mapping[int, Written | None]:
        """Return the messages of a conversation that were last sent in another form than they came."""
        return {}

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
        follows: bytes = b"",
    ) -> None:
        """Save a conversation.

        `links` belong to its newest messages, the last link to message `depth`. `written` are the messages that are
        sent in another form than with the previous request; None stands for a message that is sent as it came
        again. `also` makes further changes in the same store; they are saved together with the memo, or not at all.

        A caller that did not call `find` names the link before `links` as `follows`. The memory then saves only if
        `find` would have returned this conversation alone, at that link and without waiting commands.

        Raises Overtaken if it would not, or if the memory knows a state with as many requests as the memo, or more.
        A memory that several processes share raises NotKept if it did not save the memo, and MayBeKept if it may
        have saved it.
        """

    def experience(self, client: str) -> Experience:
        """Return what followed from the cuts in all conversations of an agent."""
        return Experience()

    def refresh(self, id: str, requests: int, time: float) -> bool:
        """Save the time of a keep-alive request; False if the conversation has continued in the meantime."""
        return True

    def hindsight(self) -> Hindsight:
        """Return what other cache lifetimes would have saved in the newest conversations."""
        return Hindsight()


def chain(digests: Iterable[bytes], link: bytes) -> list[bytes]:
    """Return the links of these messages, which continue from the link `before`."""
    links = []
    for digest in digests:
        link = blake2b(link + digest, digest_size=16).digest()
        links.append(link)
    return links
