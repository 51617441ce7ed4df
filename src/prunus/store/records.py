"""The records of the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from secrets import token_hex
from typing import Final

from prunus.conversations.context import Context
from prunus.edits import Proposal
from prunus.outcome import Receipt
from prunus.providers.usage import Usage as Usage
from prunus.reuse.asked_again import Ask, Cut, Experience
from prunus.schedule.ledger import Flush
from prunus.tally import Tally

DIGEST_SIZE: Final = 16
SHORTEST_DIGEST: Final = 12
"""Bytes of a digest that are enough to ask for its original."""


def digest_of(original: str) -> bytes:
    """The hash by which the store knows the content that an edit removed."""
    return blake2b(original.encode("utf-8", "surrogatepass"), digest_size=DIGEST_SIZE).digest()


def cuts_of(receipts: Iterable[Receipt]) -> tuple[Cut, ...]:
    """Return the parts that a later call can ask for."""
    made = ((one.edit, one.kind) for one in receipts if one.kind is not None and not one.passed)
    return tuple(
        Cut(edit.target, edit.counted_as, kind, edit.reuse if isinstance(edit, Proposal) else 0.0)
        for edit, kind in made
    )


def new_exchange_id() -> str:
    """A key for the record of an exchange."""
    return token_hex(8)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer. The record has no field for headers, so that API keys never enter the store.

    Costs are relative: one uncached input token of the model costs 1.
    """

    conversation: str
    request: int
    """The number of the request in its conversation, from 1."""
    time: float
    client: str = ""
    format: str = ""
    model: str = ""
    tokens_before: int = 0
    """Tokens of the request as the client sent it. Both token counts are the provider's once it has answered."""
    tokens_after: int = 0
    """Tokens that Prunus sent, including further model calls for a hidden tool."""
    usage: Usage | None = None
    """The usage that the provider reported, summed over all model calls; None if it has not reported any."""
    cost: float = 0.0
    """The cost of the request as Prunus sent it."""
    cost_unpruned: float = 0.0
    """The cost if Prunus had pruned nothing in this conversation."""
    cost_of_break: float = 0.0
    """The part of `cost` that pays for a cache break by Prunus."""
    flush: Flush | None = None
    status: int = 0
    """The HTTP status; 0 while there is no answer."""
    ms: float = 0.0
    error: str = ""
    """The error because of which Prunus sent the request unchanged, if any."""
    shadow: bool = False
    """The request was not changed; the numbers say what pruning would have done."""
    behind: bool = False
    """Pruning took too long, or the store did not answer, so the request was sent with earlier edits only."""
    keep_alive: bool = False
    """Prunus sent the request itself, to keep the provider's cache alive."""
    project: str = ""
    """The folder that the agent worked in; empty if the request does not say."""
    missed: int = 0
    """Tokens that the provider had in its cache, or should have had, and that it wrote once more."""
    missed_for: str = ""
    """Why; empty if nothing was missed. See `prunus.proxy.misses`."""
    context: Context | None = None
    """The token counts of the request, if known."""
    cuts: tuple[Cut, ...] = ()
    """The parts that the request cut and that a later call can ask for; no store returns them."""
    asks: tuple[Ask, ...] = ()
    """The cut parts that the newest calls of the request asked for again."""
    id: str = field(default_factory=new_exchange_id)
    """The key of the record: recording an exchange with the same id again does not count it again."""


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """A receipt in the store: what one edit removed, why, at what price, and where the original is."""

    id: str
    conversation: str
    request: int
    time: float
    message: int
    part: int
    turn: int
    tool: str
    what: str
    """The kind of edit: note, shorter, input or gone."""
    strategy: str
    reason: str
    tokens_before: int
    tokens_after: int
    price: float
    """The edit's share of its cache break, in uncached input tokens; 0 if it broke no cache."""
    original: str
    """The hash of the removed content, for `Store.original`; empty if the store does not keep originals."""
    shadow: bool = False
    """The request was not changed: Prunus would have made this edit."""
    asked_again: int = 0
    """The request whose newest calls asked for the removed content again; 0 if none did."""

    @property
    def saved(self) -> int:
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the exchanges of one conversation, or over all exchanges of a tenant, including removed ones."""

    requests: int = 0
    errors: int = 0
    """Requests that Prunus sent unchanged because of an error."""
    tokens_before: int = 0
    tokens_after: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float = 0.0
    cost_unpruned: float = 0.0
    cost_of_breaks: float = 0.0
    breaks: int = 0
    """Requests that broke the prompt cache."""
    behind: int = 0
    """Requests that were sent with earlier edits only, because pruning took too long."""
    keep_alives: int = 0
    """Requests that Prunus sent itself, to keep the provider's cache alive; `requests` does not count them."""
    cost_of_keep_alives: float = 0.0
    """The part of `cost` that pays for them."""
    strategies: Mapping[str, Tally] = field(default_factory=dict)
    """For each strategy the number of prunes, and the tokens that they remove from a request."""
    conversations: int = 0
    experience: Experience = field(default_factory=Experience)
    """The parts that were cut and that calls can ask for, and how many of them were asked for again."""

    @property
    def saved(self) -> float:
        """The net savings of pruning, after the cost of its cache breaks."""
        return self.cost_unpruned - self.cost


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A summary of one conversation."""

    id: str
    client: str
    format: str
    model: str
    first: float
    last: float
    requests: int
    depth: int
    """The number of messages in the newest request."""
    tokens_before: int
    """Tokens of the newest request."""
    tokens_after: int
    cost: float
    """The cost of all requests with the same `shadow` value as the newest request."""
    cost_unpruned: float
    receipts: int
    shadow: bool = False
    """The newest request was not changed; the numbers say what pruning would have done."""


@dataclass(frozen=True, slots=True)
class KnownConversation:
    """A conversation that the store knows, and the time of its last request."""

    id: str
    last: float


@dataclass(frozen=True, slots=True)
class Info:
    """The address of the store, and the number of entries in it."""

    url: str
    version: int = 0
    size: int = 0
    """Bytes on disk, including the write-ahead log; of a Redis server, the memory of all its data."""
    free: int = 0
    """Unused bytes in the file; `vacuum` returns them to the disk."""
    limit: int = 0
    days: int = 0
    tenants: tuple[str, ...] = ()
    conversations: int = 0
    exchanges: int = 0
    receipts: int = 0
    originals: int = 0
    originals_size: int = 0
    """Compressed bytes of the originals."""
    originals_text: int = 0
    """Uncompressed bytes of the originals."""
    hidden: int = 0
    oldest: float = 0.0
    newest: float = 0.0
    keeps_receipts: bool = True
    """Whether the store keeps exchanges, receipts and originals; if not, their numbers mean nothing."""
