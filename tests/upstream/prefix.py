"""What requests share with those before them: the prompt cache, and the breaks of a conversation's prefix.

A request is a chain of links: model, tools, system, then each message without its cache markers: its role, and
each of its parts. The cache reads the longest chain that an earlier request began with, up to the end of one of its
messages, at four characters a token. What is not read for its lifetime is lost; what is read lives on. A
conversation breaks where its next request does not begin with all the links of the one before; a message that gains
a part is no break.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from tests.upstream.signing import place, tag_of
from tests.upstream.values import Json, Usage, Wire

__all__ = ["Break", "Cache", "Chain", "chain", "tokens"]

MINIMUM = 1024
"""Tokens below which providers cache nothing."""


def tokens(text: str) -> int:
    """Tokens of a text, by a count that everybody can follow."""
    return -(-len(text) // 4)


class Link(NamedTuple):
    """A piece of a request."""

    text: str
    message: int
    """Negative before the messages."""
    tokens: int
    """What a request takes more with it than without."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A request as its links."""

    tag: str
    """The conversation: by its opening, which the ids of its calls repeat."""
    links: tuple[Link, ...]


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
    head, messages = wire.head(body), wire.messages(body)
    first = next((i for i, message in enumerate(messages) if wire.by_model(message)), len(messages))
    tag = tag_of(json.dumps([wire.format, bool(body.get("tools")), *map(_written, messages[:first])]))
    known = next((found for id in wire.past(body).ids if (found := place(id))), None)
    links = [Link(_written(part), i - len(head), tokens(_written(part))) for i, part in enumerate(head)]
    links += (link for i, message in enumerate(messages) for link in _links(message, i))
    return Chain(known[0] if known else tag, tuple(links))


@dataclass(slots=True)
class Cache:
    """What was sent so far."""

    seen: dict[bytes, tuple[float, float]] = field(default_factory=dict)
    """How long each chain lives without use, and until when, by its hash."""
    last: dict[str, tuple[int, Chain]] = field(default_factory=dict)

    def send(self, number: int, chain: Chain, *, life: float, now: float = 0.0) -> tuple[Usage, Break | None]:
        """Count a request that is cached for `life` seconds, and tell whether it broke its conversation."""
        digest = b""
        read = whole = 0
        for link, following in zip_longest(chain.links, chain.links[1:]):
            digest = hashlib.blake2b(digest + link.text.encode(), digest_size=16).digest()
            whole += link.tokens
            lives, until = self.seen.get(digest, (0.0, -1.0))
            alive = life > 0 and until >= now
            read = whole if alive else read
            if life and (following is None or following.message != link.message):
                lives = lives if alive else life
                self.seen[digest] = lives, now + lives
        read = read if read >= MINIMUM else 0
        written = whole - read if life and whole >= MINIMUM else 0
        broken = self._broken(number, chain)
        self.last[chain.tag] = number, chain
        return Usage(fresh=whole - read - written, read=read, written=written), broken

    def _broken(self, number: int, chain: Chain) -> Break | None:
        if chain.tag not in self.last:
            return None
        earlier, before = self.last[chain.tag]
        for at, (was, now) in enumerate(zip_longest(before.links, chain.links[: len(before.links)])):
            if was != now:
                lost = sum(link.tokens for link in before.links[at:])
                return Break(number, earlier, was.message, lost, was.text, now.text if now else "")
        return None


def _links(message: Json, place: int) -> Iterator[Link]:
    """A message without its parts, then each part."""
    key = next((key for key in ("content", "parts") if isinstance(message.get(key), list)), None)
    if key is None:
        yield Link(_written(message), place, tokens(_written(message)))
        return
    whole = tokens(_written({**message, key: []}))
    yield Link(_written({**message, key: []}), place, whole)
    for count, part in enumerate(message[key], 1):
        before, whole = whole, tokens(_written({**message, key: message[key][:count]}))
        yield Link(_written(part), place, whole - before)


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
