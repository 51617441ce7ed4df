"""What a process holds of a conversation from one request to the next.

All decisions depend on the memo; everything else saves time. The newest body is kept, so that the beginning that
the next body shares with it is neither parsed nor scanned. Messages that come in other bytes, because a cache
marker moved, are recognised by their hash. The engine has already looked at the messages so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import Any

import msgspec

from prunus.conversations.memory import ConversationRecord
from prunus.engine import Engine
from prunus.errors import FormatError
from prunus.history import Message
from prunus.json.surrogates import decode as decode_json
from prunus.providers import Frame, Objects, decode, digest, encode, unmarked
from prunus.providers import copy as copy_value
from prunus.schedule.ledger import Ledger, Written
from prunus.tokens import Counter

Body = Frame | Objects


def declares_tools(body: Body) -> bool:
    """Whether a client declares tools, so that their outputs arrive as results."""
    return body.prompt.get("tools") not in (None, [], b"[]", b"null")


class Loader:
    """Reads the messages of one body on demand, each once."""

    __slots__ = ("_body", "_decoded", "_digests", "_messages")

    def __init__(self, body: Body) -> None:
        self._body = body
        self._decoded: dict[int, tuple[dict[str, Any], bytes]] = {}
        """The messages as JSON, and their bytes: a first look hashes each one, and then parses it."""
        self._digests: dict[int, bytes] = {}
        self._messages: dict[int, Message] = {}

    def __call__(self, index: int) -> Message:
        message = self._messages.get(index)
        if message is None:
            value, raw = self._decode(index)
            message = self._messages[index] = self._body.format.parse(value, raw)
        return message

    def _decode(self, index: int) -> tuple[dict[str, Any], bytes]:
        """Return one message as JSON, and its bytes."""
        found = self._decoded.get(index)
        if found is None:
            raw = self._body.raw(index)
            found = self._decoded[index] = decode(raw, index), raw
        return found

    def digest(self, index: int) -> bytes:
        """Return the hash of one message without its cache markers."""
        found = self._digests.get(index)
        if found is None:
            found = self._digests[index] = digest(*self._decode(index))
        return found

    def before(self, index: int, parts: int) -> Loader | None:
        """Return the same messages, one of them hashed without its last parts; None if it has no other parts."""
        message, raw = self._decode(index)
        key = next((key for key in ("content", "parts") if isinstance(message.get(key), list)), None)
        if key is None or len(message[key]) <= parts:
            return None
        earlier = copy(self)
        earlier._digests = self._digests | {index: digest({**message, key: message[key][:-parts]}, raw)}
        return earlier


@dataclass(slots=True, eq=False)
class Conversation:
    """One conversation: its memo, its newest body, the hashes of its messages, and its engine.

    Other threads read the memo, the body and the hashes at any time.
    """

    memo: ConversationRecord
    last: Body
    engine: Engine
    owner: str = ""
    """The user that it belongs to, if the caller keeps users apart."""
    digests: list[bytes] = field(default_factory=list)
    links: list[bytes] = field(default_factory=list)
    """The chained hashes of its messages, if there is a memory."""
    around: Any = None
    """Everything but the messages of the last body."""
    around_tokens: int = 0
    prompt: Any = None
    """Model, system text and tools of the last body."""
    prompt_digest: bytes = b""
    """The hash of model, system text and tools, without cache markers."""
    in_force: Ledger | None = None
    """The ledger whose edits the engine has made."""
    saved: int = 0
    """The number of requests in the newest state that this process saved to the memory; `memo` may be newer."""
    written: Mapping[int, Written | None] = field(default_factory=dict)
    """The messages that are sent in another form than they came, if the engine has not rendered them."""
    held: int = 0
    """The size that was counted for it last."""
    lock: Lock = field(default_factory=Lock)
    """Held while the engine works, which may take long."""
    changing: Lock = field(default_factory=Lock)
    """Held while the memo, the body and the hashes change, which is short."""

    @property
    def size(self) -> int:
        """Bytes held for it, roughly: the last body, and what was found in it, which takes three times as much."""
        return 4 * self.last.size + self.engine.rendering.size + 1_000 * len(self.engine.view.uses)

    def shared(self, load: Loader, count: int, equal: int = 0) -> int:
        """Return how many messages it shares with a body of `count` messages.

        The first `equal` messages are known to be equal.
        """
        known = min(count, len(self.digests))
        return next((i for i in range(equal, known) if load.digest(i) != self.digests[i]), known)

    def went_astray(self, load: Loader) -> bool:
        """Whether the engine has looked at a body that was not recorded, or that differs from the recorded one.

        `load` loads the messages of the body that the engine looked at last.
        """
        seen = len(self.engine.view.turns)
        return seen > len(self.digests) or self.shared(load, seen) < seen

    def record(self, body: Body, load: Loader, links: list[bytes]) -> None:
        """Remember a body as the newest one."""
        self.digests += (load.digest(i) for i in range(len(self.digests), len(body)))
        self.links = links
        if isinstance(body, Objects):
            body.raws.clear()
            if isinstance(self.last, Objects):
                body.inherit(self.last)
        self.last = body

    def count_around(self, body: Body, counter: Counter) -> int:
        """Return the tokens of system text, tools and options; they are counted again only if they have changed."""
        around = body.around()
        if around != self.around:
            self.around = copy_value(around)
            self.around_tokens = count_around(body, counter)
        return self.around_tokens

    def lost_cache(self, memo: ConversationRecord, body: Body) -> str:
        """Return why the provider's cache is lost, if model, system text or tools show that; else an empty text."""
        prompt = body.prompt
        if prompt != self.prompt:
            self.prompt = copy_value(prompt)
            self.prompt_digest = blake2b(encode(unmarked(prompt)), digest_size=16).digest()
        changed = memo.requests and self.prompt_digest != memo.prompt
        return "model, system text or tools changed" if changed else ""


def count_around(body: Body, counter: Counter) -> int:
    """Return the tokens outside the messages. White space and escapes of the client do not count."""
    around = body.around()
    try:
        text = encode(decode_json(around) if isinstance(around, bytes) else around)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError(f"what stands around the messages cannot be read: {error}") from error
    return counter.count(text.decode("utf-8", "replace"))
