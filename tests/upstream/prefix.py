"""What requests share with those before them: the prompt cache, and the breaks of a conversation's prefix.

A request is a chain of links: model, tools, system, then each message without its cache markers. The cache reads
the longest chain that an earlier request began with, at four characters a token. A conversation breaks where its
next request does not begin with all the links of the one before.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field

from tests.upstream.signing import place, tag_of
from tests.upstream.values import Json, Usage, Wire

__all__ = ["Break", "Cache", "Chain", "chain", "tokens"]

MINIMUM = 1024
"""Tokens below which providers cache nothing."""


def tokens(text: str) -> int:
    """Tokens of a text, by a count that everybody can follow."""
    return -(-len(text) // 4)


@dataclass(frozen=True, slots=True)
class Chain:
    """A request as its links."""

    tag: str
    """The conversation: by its opening, which the ids of its calls repeat."""
    head: int
    """How many of the links stand before the messages."""
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Break:
    """A request that did not extend the one before it."""

    request: int
    """Which request, counted from 0."""
    before: int
    """The request that it should have extended."""
    message: int
    """The first message that differs; negative within model, tools and system."""
    lost: int
    """Tokens behind the break that had been sent before."""
    was: str
    now: str

    def __str__(self) -> str:
        at = f"message {self.message}" if self.message >= 0 else "the head"
        same = next((i for i, (a, b) in enumerate(zip(self.was, self.now, strict=False)) if a != b), 0)
        start = max(0, same - 40)
        was, now = (text[start : start + 160] for text in (self.was, self.now))
        return f"request {self.request} breaks {self.before} at {at} ({self.lost} tokens): {was!r} became {now!r}"


def chain(wire: Wire, body: Json) -> Chain:
    """A request as its links, and the conversation that it belongs to."""
    head = [_written(part) for part in wire.head(body)]
    messages = wire.messages(body)
    first = next((i for i, message in enumerate(messages) if wire.by_model(message)), len(messages))
    links = [_written(message) for message in messages]
    tag = tag_of(json.dumps([wire.format, bool(body.get("tools")), *links[:first]]))
    known = next((found for id in wire.past(body).ids if (found := place(id))), None)
    return Chain(known[0] if known else tag, len(head), (*head, *links))


@dataclass(slots=True)
class Cache:
    """What was sent so far."""

    seen: set[bytes] = field(default_factory=set)
    last: dict[str, tuple[int, Chain]] = field(default_factory=dict)

    def send(self, number: int, chain: Chain, *, cached: bool) -> tuple[Usage, Break | None]:
        """Count a request, and tell whether it broke its conversation."""
        digest = b""
        read = whole = 0
        hit = cached
        for link in chain.links:
            digest = hashlib.blake2b(digest + link.encode(), digest_size=16).digest()
            whole += tokens(link)
            hit = hit and digest in self.seen
            read = whole if hit else read
            if cached:
                self.seen.add(digest)
        read = read if read >= MINIMUM else 0
        written = whole - read if cached and whole >= MINIMUM else 0
        broken = self._broken(number, chain)
        self.last[chain.tag] = number, chain
        return Usage(fresh=whole - read - written, read=read, written=written), broken

    def _broken(self, number: int, chain: Chain) -> Break | None:
        if chain.tag not in self.last:
            return None
        earlier, before = self.last[chain.tag]
        for at, (was, now) in enumerate(zip(before.links, (*chain.links, *[""] * len(before.links)), strict=False)):
            if was != now:
                lost = sum(map(tokens, before.links[at:]))
                return Break(number, earlier, at - before.head, lost, was, now)
        return None


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
