"""What is known of conversations beyond one process.

A conversation is recognised by its chained message hashes: link n names messages 0 to n together, so one look-up
of the deepest known link finds it, whatever process or replica saw it before. A history that left the known one
half way, by undo or as a fork, is found by the last link that they share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from prunus.policy.ledger import Ledger

__all__ = ["Memo", "Memory", "chain"]


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


class Memory(Protocol):
    """Keeps memos; what it loses costs a cache miss at most."""

    def recall(self, links: Sequence[bytes]) -> tuple[Memo, int] | None:
        """The conversation that holds the deepest of these links (oldest first), and which of them it is."""

    def keep(self, memo: Memo, links: Sequence[bytes]) -> None:
        """Remember a conversation; `links` are those of its newest messages, the last one of message `depth`."""


def chain(digests: Iterable[bytes], link: bytes) -> list[bytes]:
    """The links of these messages, continuing from the link before them."""
    links = []
    for digest in digests:
        link = blake2b(link + digest, digest_size=16).digest()
        links.append(link)
    return links
