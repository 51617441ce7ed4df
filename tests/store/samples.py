"""Receipts, exchanges and memos to fill a store with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from prunus.conversations.memory import ConversationRecord, Memory, chain
from prunus.edits import Note, Proposal
from prunus.history import Ref
from prunus.outcome import Receipt
from prunus.reuse.asked_again import Ask
from prunus.reuse.likelihood import PartKind
from prunus.schedule.ledger import Flush, Ledger
from prunus.store import Exchange, Usage


def edit(message: int, strategy: str = "repeated_reads", saved: int = 90) -> Proposal:
    return Proposal(
        Ref(message, 0),
        Note("[read again later]"),
        strategy,
        "read again",
        tokens_before=saved + 10,
        tokens_after=10,
    )


def receipt(
    id: str,
    message: int = 2,
    original: str = "one\ntwo\n",
    strategy: str = "repeated_reads",
    kind: PartKind | None = None,
    reuse: float = 0.0,
) -> Receipt:
    return Receipt(id, replace(edit(message, strategy), reuse=reuse), original, "Read", 3, kind=kind)


def ask(message: int = 2, strategy: str = "repeated_reads", kind: PartKind = "read") -> Ask:
    return Ask(Ref(message, 0), strategy, kind, 100, Ref(message + 5, 0))


def exchange(conversation: str = "c1", request: int = 1, **more: object) -> Exchange:
    values: dict[str, object] = {
        "time": 1_000.0 + request,
        "client": "claude",
        "format": "anthropic",
        "model": "claude-sonnet-4-5",
        "tokens_before": 1_000,
        "tokens_after": 800,
        "usage": Usage(10, 500, 290, 40),
        "cost": 400.0,
        "cost_unpruned": 500.0,
        "status": 200,
        "ms": 12.5,
    }
    return Exchange(conversation, request, **{**values, **more})  # type: ignore[arg-type]


def flush(request: int = 1, cut: int = 0) -> Flush:
    return Flush(request, 1_000.0, cut, "worth it", 200, 600)


def links(count: int, first: str = "a") -> list[bytes]:
    return chain((blake2b(f"{first}{n}".encode(), digest_size=16).digest() for n in range(count)), b"anthropic")


def memo(
    id: str, depth: int, edits: tuple[Proposal, ...] = (), flushes: tuple[Flush, ...] = (), at: float = 1.0
) -> ConversationRecord:
    return ConversationRecord(id, Ledger(edits, flushes), depth, depth // 2, at, b"prompt")


def recalled(memory: Memory, links: Sequence[bytes]) -> tuple[ConversationRecord | None, int]:
    """Return the memo of the conversation with the deepest of these links, and how many links it shares."""
    found = memory.find(links)[0]
    return memory.load(found.id), found.shared
