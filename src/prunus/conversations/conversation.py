"""What a process holds of a conversation from one request to the next.

The memo says all that decisions rest on; the rest saves time. The newest body is kept, so that the next one is
recognised by comparing it with the last: what they share is neither parsed nor scanned. Messages that came in other
bytes, because a cache marker moved, are recognised by their hash. The engine has looked at the messages so far.
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
    """Whether a client declares tools, so that what they print comes as results."""
    return body.prompt.get("tools") not in (None, [], b"[]", b"null")


class Loader:
    """Reads the messages of one body when they are asked for, each once."""

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
        """One message as JSON, and its bytes."""
        found = self._decoded.get(index)
        if found is None:
            raw = self._body.raw(index)
            found = self._decoded[index] = decode(raw, index), raw
        return found

    def digest(self, index: int) -> bytes:
        """The hash of one message, cache markers aside."""
        found = self._digests.get(index)
        if found is None:
            found = self._digests[index] = digest(*self._decode(index))
        return found

    def before(self, index: int, parts: int) -> Loader | None:
        """The same messages, with the hash of one as it was without its last parts; None where it has no others."""
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
    """Whose it is, as far as the caller keeps users apart."""
    key: str = ""
    """What the client calls it, if it says so."""
    digests: list[bytes] = field(default_factory=list)
    links: list[bytes] = field(default_factory=list)
    """The chained hashes of its messages, where a memory wants to know."""
    around: Any = None
    """What stood around the messages in the last body."""
    around_tokens: int = 0
    prompt: Any = None
    """Model, system text and tools of the last body."""
    prompt_digest: bytes = b""
    """The same as a hash, cache markers aside."""
    in_force: Ledger | None = None
    """The ledger whose edits the engine has in force."""
    saved: int = 0
    """The requests of the newest state that the memory has from this process; `memo` may be newer."""
    written: Mapping[int, Written | None] = field(default_factory=dict)
    """The messages that are not sent as they came, where the engine has not rendered them."""
    held: int = 0
    """The size that was counted for it last."""
    lock: Lock = field(default_factory=Lock)
    """Held by whoever works with the engine, which may take long."""
    changing: Lock = field(default_factory=Lock)
    """Held while the memo, the body and the hashes change, which does not."""

    @property
    def size(self) -> int:
        """Bytes held for it, roughly: the last body, and what was found in it, which takes three times as much."""
        return 4 * self.last.size + self.engine.rendering.size + 1_000 * len(self.engine.view.uses)

    def shared(self, load: Loader, count: int, equal: int = 0) -> int:
        """How many messages it has in common with a body of `count` messages, the first `equal` of which are."""
        known = min(count, len(self.digests))
        return next((i for i in range(equal, known) if load.digest(i) != self.digests[i]), known)

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
        """The tokens of system text, tools and options, counted again only if they are other than before."""
        around = body.around()
        if around != self.around:
            self.around = copy_value(around)
            self.around_tokens = count_around(body, counter)
        return self.around_tokens

    def lost_cache(self, memo: ConversationRecord, body: Body) -> str:
        """Why the provider's cache is lost, as far as that shows around the messages; empty if it is not."""
        prompt = body.prompt
        if prompt != self.prompt:
            self.prompt = copy_value(prompt)
            self.prompt_digest = blake2b(encode(unmarked(prompt)), digest_size=16).digest()
        changed = memo.requests and self.prompt_digest != memo.prompt
        return "model, system text or tools changed" if changed else ""


def count_around(body: Body, counter: Counter) -> int:
    """The tokens of what stands around the messages; white space and escapes of the client do not count."""
    around = body.around()
    try:
        text = encode(decode_json(around) if isinstance(around, bytes) else around)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError(f"what stands around the messages cannot be read: {error}") from error
    return counter.count(text.decode("utf-8", "replace"))
