"""What is remembered of a conversation from one request to the next.

The newest body is kept, so that the next one is recognised by comparing it with the last: what they share is
neither parsed nor scanned. Messages that came in other bytes, because a cache marker moved, are recognised by
their hash. A conversation that has gone another way (undo, fork) is another conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from prunus.engine import Engine
from prunus.formats import Frame, Objects, decode, digest, parse
from prunus.history import Message

__all__ = ["Body", "Conversation", "Loader"]

Body = Frame | Objects


class Loader:
    """Parses the messages of one body when they are asked for, each once."""

    __slots__ = ("_body", "_messages")

    def __init__(self, body: Body) -> None:
        self._body = body
        self._messages: dict[int, Message] = {}

    def __call__(self, index: int) -> Message:
        message = self._messages.get(index)
        if message is None:
            message = parse(self._body.format, self._body.raw(index), index)
            self._messages[index] = message
        return message


@dataclass(slots=True, eq=False)
class Conversation:
    """One conversation: its last body, the hashes of its messages, and its edits."""

    last: Body
    engine: Engine
    digests: list[bytes] = field(default_factory=list)
    seen: float = 0.0
    around: Any = None
    """What stood around the messages in the last body."""
    around_tokens: int = 0
    held: int = 0
    """The size that was counted for it last."""

    @property
    def size(self) -> int:
        """Bytes held for it, roughly: the last body, the edited messages, and about 1 KB for each call."""
        return self.last.size + self.engine.rendered_size + 1_000 * len(self.engine.view.uses)

    def continued_by(self, body: Body, shared: int) -> bool:
        """Whether a body holds all messages of this conversation, given that the first `shared` are equal."""
        known = len(self.digests)
        return len(body) >= known and all(digest_at(body, i) == self.digests[i] for i in range(shared, known))

    def record(self, body: Body) -> None:
        """Remember a body as the newest one."""
        if isinstance(body, Objects) and isinstance(self.last, Objects):
            body.inherit(self.last)
        self.last = body
        self.digests += (digest_at(body, i) for i in range(len(self.digests), len(body)))


def digest_at(body: Body, index: int) -> bytes:
    """The hash of one message of a body, cache markers aside."""
    raw = body.raw(index)
    return digest(decode(raw, index), raw)
