"""What a store can do. SQLite is one; a store that several machines share can be another.

Every call names the tenant that it is for, and none ever sees what belongs to another. A call that cannot be
answered raises StoreError soon (a quarter of a second at most by default) and leaves the store as it was; the
request it was made for goes on without it. All calls may be made from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from prunus.context import Context
from prunus.errors import PrunusError
from prunus.memory import Memory
from prunus.outcome import Receipt
from prunus.store.records import Exchange, Info, StoredReceipt, StoredSession, Totals


class StoreError(PrunusError):
    """The store could not answer: it is locked, full, read-only, or not there."""


class NoStore(StoreError):
    """There is nothing to look at yet."""


class Store(Protocol):
    """Keeps conversations, exchanges, receipts and originals beyond one process."""

    def memory(self, tenant: str, trouble: Callable[[StoreError], None] | None = None) -> Memory:
        """The memory of a pruner; `keep` has committed when it returns, or at the end of `together`.

        With `trouble` given, faults are told to it and the memory acts as if it had forgotten: the pruner works
        on. Without, they are raised, and the pruner lets the request out as it came.
        """

    def record(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt] = ()) -> None:
        """Write an exchange and the receipts of its edits in one transaction.

        It may be recorded before it is sent, so that no receipt is ever missing, and again with what came of it:
        the same `Exchange.id` takes the place of what was there.
        """

    def together(self) -> AbstractContextManager[None]:
        """Commit what this thread keeps and records in here as one, at the end; StoreError comes from there."""

    @property
    def prompt(self) -> bool:
        """Whether calls take next to no time just now, so that they may be made where others wait."""

    def record_all(self, exchanges: Sequence[tuple[str, Exchange]]) -> None:
        """Write exchanges that are over, each with the tenant it belongs to, in one transaction: all or none."""

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
        """Keep an exchange that the client must not see, to put it back into later requests."""

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Those of these that are kept."""

    def ask(self, tenant: str, conversation: str, what: str) -> None:
        """Ask for something to be done at the next request of a conversation, such as `sweep 5`."""

    def asked(self, tenant: str, conversation: str) -> tuple[str, ...]:
        """What was asked for and not taken yet, oldest first."""

    def take(self, tenant: str, conversation: str) -> tuple[str, ...]:
        """The same, and it is taken: nobody else gets it."""

    def sessions(self, tenant: str, limit: int | None = None) -> list[StoredSession]:
        """The conversations, newest first."""

    def exchanges(self, tenant: str, conversation: str) -> list[Exchange]:
        """The exchanges of a conversation, oldest first."""

    def receipts(self, tenant: str, conversation: str = "", limit: int | None = None) -> list[StoredReceipt]:
        """The receipts of a conversation, or of all, newest request first; `shadow` marks what was not cut."""

    def find(self, tenant: str, id: str) -> list[StoredReceipt]:
        """The receipts whose id begins so, newest first."""

    def original(self, tenant: str, digest: str) -> str | None:
        """What a receipt took away, exactly; None where it is not kept any more."""

    def contexts(self, tenant: str, conversation: str = "") -> list[Context]:
        """What filled the newest request of a conversation, or of each that this is known of."""

    def totals(self, tenant: str, conversation: str = "", *, shadow: bool = False) -> Totals:
        """The sums of a conversation, or of everything that the tenant ever did; shadow runs are apart."""

    def info(self) -> Info:
        """How much is in the store."""

    def vacuum(self) -> None:
        """Remove what is too old or too much, and give the space back."""

    def clear(self) -> None:
        """Remove everything, of every tenant."""

    def close(self) -> None:
        """Let go of the store; what is committed stays."""
