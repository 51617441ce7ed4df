"""What the store holds, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex

from prunus.context import Context
from prunus.providers.usage import Usage as Usage
from prunus.schedule.ledger import Flush
from prunus.tally import Tally


def _new_id() -> str:
    return token_hex(8)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer. There is no place for headers: keys never enter the store.

    Costs are relative: one uncached input token of the model costs 1.
    """

    conversation: str
    request: int
    """Its number in the conversation, counted from 1."""
    time: float
    client: str = ""
    format: str = ""
    model: str = ""
    tokens_before: int = 0
    """As the client sent it; from the answer on in the provider's tokens, as `tokens_after` is."""
    tokens_after: int = 0
    """Of all that was sent for it, further calls of the model for a hidden tool included."""
    usage: Usage | None = None
    """None until the provider has said, or where it never does; the sum where the model was called again."""
    cost: float = 0.0
    """What it cost as it was sent."""
    cost_unpruned: float = 0.0
    """What it would have cost, had nothing in the conversation been pruned."""
    cost_of_break: float = 0.0
    """The part of `cost` that goes to a break of the cache that Prunus caused."""
    flush: Flush | None = None
    status: int = 0
    """The HTTP status; 0 while there is no answer."""
    ms: float = 0.0
    error: str = ""
    """Why the request went out as it came, where it did because of a fault."""
    shadow: bool = False
    """Nothing was changed; the numbers say what would have been."""
    behind: bool = False
    """There was no time to look at it, so it was sent with the edits that were in force before."""
    context: Context | None = None
    """What filled it, where that is known."""
    id: str = field(default_factory=_new_id)
    """Recorded again under the same id, an exchange takes the place of what was recorded before."""


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """A receipt as it is kept: what one edit took away, why, at what price, and how to get it back."""

    id: str
    conversation: str
    request: int
    time: float
    message: int
    part: int
    turn: int
    tool: str
    what: str
    """What became of the part: note, shorter, input or gone."""
    strategy: str
    reason: str
    tokens_before: int
    tokens_after: int
    price: float
    """Its share of the break of the cache that made it, in uncached input tokens; 0 where none was."""
    original: str
    """Hash of what went, for `Store.original`; empty where originals are not kept."""
    shadow: bool = False
    """It was a shadow run: this would have been cut, and was not."""

    @property
    def saved(self) -> int:
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over exchanges: those of one conversation, or all of a tenant, removed ones included."""

    requests: int = 0
    errors: int = 0
    """Requests that went out as they came because of a fault."""
    tokens_before: int = 0
    tokens_after: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float = 0.0
    cost_unpruned: float = 0.0
    cost_of_breaks: float = 0.0
    breaks: int = 0
    """Requests that declared a break of the cache."""
    behind: int = 0
    """Requests that there was no time to look at; they were sent with the edits in force."""
    strategies: Mapping[str, Tally] = field(default_factory=dict)
    """For each strategy how many receipts, and how many tokens they take away from a request."""
    conversations: int = 0

    @property
    def saved(self) -> float:
        """What pruning saved in the end, its own cache breaks paid."""
        return self.cost_unpruned - self.cost


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A conversation at a glance."""

    id: str
    client: str
    format: str
    model: str
    first: float
    last: float
    requests: int
    depth: int
    """Messages of its newest request."""
    tokens_before: int
    """Of its newest request."""
    tokens_after: int
    cost: float
    """Of all requests that were real, or of all that were in shadow, as the newest one is."""
    cost_unpruned: float
    receipts: int
    shadow: bool = False
    """Nothing was changed in its newest request; the numbers say what would have been."""


@dataclass(frozen=True, slots=True)
class Info:
    """The store itself: where it is, and how much is in it."""

    url: str
    version: int = 0
    size: int = 0
    """Bytes on disk, write-ahead log included."""
    free: int = 0
    """Bytes in the file that hold nothing; `vacuum` gives them back."""
    limit: int = 0
    days: int = 0
    tenants: tuple[str, ...] = ()
    conversations: int = 0
    exchanges: int = 0
    receipts: int = 0
    originals: int = 0
    originals_size: int = 0
    """Bytes of the originals as they are kept."""
    originals_text: int = 0
    """Bytes of the originals as they were."""
    hidden: int = 0
    oldest: float = 0.0
    newest: float = 0.0
