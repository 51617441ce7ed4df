"""A store that keeps no receipts says so, instead of showing nothing or zero."""

from __future__ import annotations

from prunus.conversations.context import Context
from prunus.spending import DayTotals, Earnings
from prunus.store.records import Exchange, StoredReceipt, StoredSession, Totals
from prunus.store.store import NoReceipts


class WithoutReceipts:
    """The methods of `Store` that read exchanges, receipts, originals and totals; each raises NoReceipts."""

    place: str
    """The address of the store, as people may see it."""

    @property
    def keeps_receipts(self) -> bool:
        return False

    def _none(self) -> NoReceipts:
        return NoReceipts(
            f"the store {self.place} keeps no requests, receipts, originals and totals; a SQLite or Postgres store "
            "with store.receipts does"
        )

    def sessions(
        self, tenant: str, limit: int | None = None, *, offset: int = 0, id: str = "", words: str = ""
    ) -> list[StoredSession]:
        raise self._none()

    def exchanges(self, tenant: str, conversation: str) -> list[Exchange]:
        raise self._none()

    def receipts(self, tenant: str, conversation: str = "", limit: int | None = None) -> list[StoredReceipt]:
        raise self._none()

    def newest_exchanges(self, tenant: str, after: int = 0, limit: int = 50) -> tuple[int, list[Exchange]]:
        raise self._none()

    def newest_receipts(
        self, tenant: str, strategy: str = "", limit: int = 50, offset: int = 0
    ) -> list[StoredReceipt]:
        raise self._none()

    def receipt(self, tenant: str, conversation: str, message: int, part: int) -> StoredReceipt | None:
        raise self._none()

    def find(self, tenant: str, id: str) -> list[StoredReceipt]:
        raise self._none()

    def original(self, tenant: str, digest: str) -> str | None:
        raise self._none()

    def contexts(self, tenant: str, conversation: str = "") -> list[Context]:
        raise self._none()

    def totals(self, tenant: str, conversation: str = "", *, shadow: bool = False) -> Totals:
        raise self._none()

    def days(self, tenant: str, since: str = "", *, shadow: bool = False) -> list[DayTotals]:
        raise self._none()

    def bills(self, tenant: str, conversation: str, *, shadow: bool = False) -> list[DayTotals]:
        raise self._none()

    def earnings(self, tenant: str, since: float = 0.0, *, shadow: bool = False) -> list[Earnings]:
        raise self._none()
