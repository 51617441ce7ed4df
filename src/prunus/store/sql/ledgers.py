"""The store in a SQL database without receipts (`store.receipts = false`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from prunus.outcome import Receipt
from prunus.store.records import Exchange
from prunus.store.sql.database import SqlConnection, write_name
from prunus.store.sql.recording import write_experiences
from prunus.store.sql.store import SqlStore
from prunus.store.store import WithoutReceipts


class SqlLedgers(WithoutReceipts, SqlStore):
    """Keeps ledgers, hidden exchanges, commands and experience."""

    def _write_ahead(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt]) -> None:
        """Write nothing."""

    def _recording(
        self, exchanges: Sequence[tuple[str, Exchange, Sequence[Receipt]]]
    ) -> tuple[Callable[[SqlConnection], None], set[str]]:
        bare = [(tenant, exchange) for tenant, exchange, _ in exchanges]
        names = {write_name("conversation", tenant, exchange.conversation) for tenant, exchange in bare}
        return partial(write_experiences, bare, self._numbers), names
