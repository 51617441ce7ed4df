"""What is remembered of a conversation from one request to the next.

The newest body is kept, so that the next one is recognised by comparing it with the last: what they share is
neither parsed nor scanned. Messages that came in other bytes, because a cache marker moved, are recognised by
their hash. A conversation that has gone another way (undo, fork) is another conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from prunus.engine import Engine
from prunus.formats import Frame, Objects, decode, digest
from prunus.history import Message
from prunus.policy.account import Account
from prunus.policy.ledger import Flush, Ledger

__all__ = ["Body", "Conversation", "Loader"]

Body = Frame | Objects


class Loader:
    """Reads the messages of one body when they are asked for, each once."""

    __slots__ = ("_body", "_decoded", "_digests", "_messages")

    def __init__(self, body: Body) -> None:
        self._body = body
        self._decoded: dict[int, dict[str, Any]] = {}
        self._digests: dict[int, bytes] = {}
        self._messages: dict[int, Message] = {}

    def __call__(self, index: int) -> Message:
        message = self._messages.get(index)
        if message is None:
            raw = self._body.raw(index)
            message = self._messages[index] = self._body.format.parse(self.decoded(index, raw), raw)
        return message

    def decoded(self, index: int, raw: bytes) -> dict[str, Any]:
        """One message as JSON."""
        value = self._decoded.get(index)
        if value is None:
            value = self._decoded[index] = decode(raw, index)
        return value

    def digest(self, index: int) -> bytes:
        """The hash of one message, cache markers aside."""
        found = self._digests.get(index)
        if found is None:
            raw = self._body.raw(index)
            found = self._digests[index] = digest(self.decoded(index, raw), raw)
        return found


@dataclass(slots=True, eq=False)
class Conversation:
    """One conversation: its last body, the hashes of its messages, and its edits."""

    last: Body
    engine: Engine
    id: str = ""
    key: str = ""
    """What the client calls it, if it says so."""
    digests: list[bytes] = field(default_factory=list)
    seen: float = 0.0
    around: Any = None
    """What stood around the messages in the last body."""
    around_tokens: int = 0
    prompt: Any = None
    """Model, system text and tools of the last body."""
    prompt_digest: bytes = b""
    """The same as a hash, cache markers aside."""
    link: bytes = b""
    """The chained hash of all its messages, where a memory wants to know."""
    requests: int = 0
    flushes: tuple[Flush, ...] = ()
    account: Account = field(default_factory=Account)
    held: int = 0
    """The size that was counted for it last."""

    @property
    def size(self) -> int:
        """Bytes held for it, roughly: the last body, and what was found in it, which takes five times as much."""
        return 6 * self.last.size + self.engine.rendered_size + 1_000 * len(self.engine.view.uses)

    @property
    def ledger(self) -> Ledger:
        """The edits in force and how they came about."""
        edits = sorted(self.engine.chosen.values(), key=lambda edit: edit.target)
        return Ledger(tuple(edits), self.flushes)

    def continued_by(self, body: Body, load: Loader, shared: int) -> bool:
        """Whether a body holds all messages of this conversation, given that the first `shared` are equal."""
        known = len(self.digests)
        return len(body) >= known and all(load.digest(i) == self.digests[i] for i in range(shared, known))

    def shared(self, load: Loader, count: int) -> int:
        """How many messages it has in common with a body of `count` messages that may have left it half way."""
        known = min(count, len(self.digests))
        return next((i for i in range(known) if load.digest(i) != self.digests[i]), known)

    def record(self, body: Body, load: Loader) -> None:
        """Remember a body as the newest one."""
        self.digests += (load.digest(i) for i in range(len(self.digests), len(body)))
        if isinstance(body, Objects):
            body.raws.clear()
            if isinstance(self.last, Objects):
                body.inherit(self.last)
        self.last = body
