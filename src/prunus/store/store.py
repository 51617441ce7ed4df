"""The interface of a store. `SqlStore` implements it for SQLite and Postgres, `RedisStore` for Redis.

Every store keeps the memory of the pruner, hidden exchanges and queued commands. Only a store in a SQL database
keeps receipts: what was cut, for people who look at it later.

Every call names its tenant and sees only the data of that tenant. A call that fails raises StoreError soon (by
default within a quarter of a second) and leaves the store unchanged; the caller then works without the store. Any
thread may call any method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NoReturn, Protocol

from prunus.conversations.context import Context
from prunus.conversations.memory import Memory
from prunus.errors import PrunusError
from prunus.outcome import Receipt
from prunus.reuse.asked_again import Experience
from prunus.spending import DayTotals, Earnings
from prunus.store.records import Exchange, Info, KnownConversation, StoredReceipt, StoredSession, Totals


class StoreError(PrunusError):
    """The store failed: it is locked, full, read-only or missing."""


class Unavailable(StoreError):
    """The store cannot be used at the moment: it does not answer, or it is locked or full."""


class CommitLost(Unavailable):
    """The store did not answer a commit, so nobody knows whether it has saved the changes."""


class NoStore(StoreError):
    """The store does not exist yet."""


class NoReceipts(StoreError):
    """The store keeps no exchanges, receipts, originals and totals."""


class Store(Protocol):
    """Keeps conversations, exchanges, receipts and originals beyond one process."""

    def memory(self, tenant: str, trouble: Callable[[StoreError], None] | None = None) -> Memory:
        """Return the memory of a pruner; its `keep` commits before it returns.

        With `trouble`, the memory passes errors to this callback and acts as if it had forgotten, so the pruner
        continues. Without `trouble`, the memory raises errors, and the pruner sends the request unchanged.
        """

    @property
    def hurry(self) -> Callable[[], AbstractContextManager[None]]:
        """Begins a block in which this thread waits for no other writer, as far as the store can tell.

        A write that would have to wait raises TooLate. The answers of a server are waited for as always.
        """

    def record(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt] = ()) -> None:
        """Write an exchange and the receipts of its edits in one transaction.

        An exchange without a status is not sent yet: only its receipts are written, so that none is ever missing.
        Everything else of it is written and counted by `record_all`, after its answer.
        """

    @property
    def keeps_receipts(self) -> bool:
        """Whether exchanges, receipts, originals and totals are kept; otherwise reading them raises NoReceipts."""

    def record_all(self, exchanges: Sequence[tuple[str, Exchange]]) -> None:
        """Write finished exchanges, each with its tenant, in one transaction.

        An exchange with the `Exchange.id` of a written one counts once; only its context is new.
        """

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
        """Save an exchange that the client must not see, so that later requests can include it again."""

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the saved hidden exchanges with these keys."""

    def ask(self, tenant: str, conversation: str, what: str) -> None:
        """Queue a command for the next request of a conversation, such as `sweep 5`."""

    def asked(self, tenant: str, conversation: str) -> tuple[str, ...]:
        """Return the queued commands, oldest first."""

    def take(self, tenant: str, conversation: str) -> tuple[str, ...]:
        """Return the queued commands and empty the queue, so that no other caller gets them."""

    def sessions(
        self, tenant: str, limit: int | None = None, *, offset: int = 0, id: str = "", words: str = ""
    ) -> list[StoredSession]:
        """Return the conversations, newest first, without the first `offset`; or the one with this exact id.

        With `words`, only those whose id, agent and model contain them.
        """

    def exchanges(self, tenant: str, conversation: str) -> list[Exchange]:
        """Return the exchanges of a conversation, oldest first."""

    def receipts(self, tenant: str, conversation: str = "", limit: int | None = None) -> list[StoredReceipt]:
        """Return the receipts of a conversation, or of all, newest request first; `shadow` edits were not made."""

    def newest_exchanges(self, tenant: str, after: int = 0, limit: int = 50) -> tuple[int, list[Exchange]]:
        """Return the newest answered exchanges of all conversations, and a mark; `after` a mark, those since."""

    def newest_receipts(
        self, tenant: str, strategy: str = "", limit: int = 50, offset: int = 0
    ) -> list[StoredReceipt]:
        """Return the newest receipts of all conversations, of one strategy or of all."""

    def receipt(self, tenant: str, conversation: str, message: int, part: int) -> StoredReceipt | None:
        """Return the receipt of one part of a conversation."""

    def find(self, tenant: str, id: str) -> list[StoredReceipt]:
        """Return the receipts whose id starts with `id`, newest first."""

    def original(self, tenant: str, digest: str) -> str | None:
        """Return the exact content that an edit removed; None if the store no longer has it.

        Of `digest`, the first 24 hexadecimal digits are enough.
        """

    def contexts(self, tenant: str, conversation: str = "") -> list[Context]:
        """Return the token counts of the newest request of a conversation, or of every conversation."""

    def totals(self, tenant: str, conversation: str = "", *, shadow: bool = False) -> Totals:
        """Return the sums of a conversation or of all time; shadow runs have sums of their own."""

    def days(self, tenant: str, since: str = "", *, shadow: bool = False) -> list[DayTotals]:
        """Return the sums by day, agent, model and project, from a local date such as 2026-01-31 on."""

    def bills(self, tenant: str, conversation: str, *, shadow: bool = False) -> list[DayTotals]:
        """Return the sums of one conversation by model."""

    def earnings(self, tenant: str, since: float = 0.0, *, shadow: bool = False) -> list[Earnings]:
        """Return what each strategy earned with each model since a time, in the conversations still kept."""

    def experiences(self, tenant: str, *, shadow: bool = False) -> Mapping[str, Experience]:
        """Return what the cuts led to with each agent, by its name, including removed conversations."""

    def info(self) -> Info:
        """Return the size of the store and the number of entries in it."""

    def conversations(
        self, tenant: str, id: str = "", *, before: float | None = None, limit: int | None = None
    ) -> list[KnownConversation]:
        """Return the conversations whose id starts with `id`, newest first; with `before`, those that are older."""

    def forget(self, tenant: str, conversations: Sequence[str]) -> int:
        """Remove conversations with all that belongs only to them, and return how many there were.

        Sums of all time stay. Hidden exchanges stay too, because nothing tells to which conversation they belong.
        """

    def forget_hidden(self, tenant: str, before: float) -> int:
        """Remove the hidden exchanges that no request has used since a time, and return how many there were."""

    def vacuum(self) -> None:
        """Remove data beyond the limits, and return the space to the disk."""

    def clear(self) -> None:
        """Remove all data of all tenants."""

    def open(self) -> None:
        """Get the store ready, so that the first call does not wait for that."""

    def close(self) -> None:
        """Close the store; committed data stays."""


class WithoutReceipts:
    """The methods of `Store` that read exchanges, receipts, originals and totals, for a store that keeps none.

    They raise NoReceipts, so that nobody takes an empty answer for the truth.
    """

    place: str
    """The address of the store, as people may see it."""

    keeps_receipts = False

    def _refuse(self, *values: object, **options: object) -> NoReturn:
        raise NoReceipts(
            f"the store {self.place} keeps no requests, receipts, originals and totals; a SQLite or Postgres store "
            "with store.receipts does"
        )

    sessions = exchanges = newest_exchanges = contexts = _refuse
    receipts = newest_receipts = receipt = find = original = _refuse
    totals = days = bills = earnings = _refuse
