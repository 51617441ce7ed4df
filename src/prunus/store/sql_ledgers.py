"""The store in a SQL database without receipts (`store.receipts = false`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from prunus.outcome import Receipt
from prunus.settings.tables import StoreSettings as Limits
from prunus.store.additions import Additions
from prunus.store.cipher import Cipher
from prunus.store.memory import conversation_name
from prunus.store.recording import write_experience
from prunus.store.records import Exchange, Info
from prunus.store.sql import SqlConnection, SqlDatabase
from prunus.store.sql_store import SqlStore
from prunus.store.without_receipts import WithoutReceipts


class SqlLedgers(WithoutReceipts, SqlStore):
    """Keeps ledgers, hidden exchanges, commands and experience; `Store` documents the methods."""

    def __init__(self, database: SqlDatabase, limits: Limits, cipher: Cipher, place: str) -> None:
        super().__init__(database, limits, cipher)
        self.place = place

    def record(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt] = ()) -> None:
        self._database.change(
            partial(_write_all, [(tenant, exchange, receipts)]), conversation_name(tenant, exchange.conversation)
        )
        if exchange.status:
            self._housekeep(1)

    def record_all(self, exchanges: Sequence[tuple[str, Exchange]]) -> None:
        if not exchanges:
            return
        names = {conversation_name(tenant, exchange.conversation) for tenant, exchange in exchanges}
        work = partial(_write_all, [(tenant, exchange, ()) for tenant, exchange in exchanges])
        self._database.write(work, *sorted(names))
        self._housekeep(len(exchanges))

    def info(self) -> Info:
        return replace(super().info(), keeps_receipts=False)


def _write_all(exchanges: Sequence[tuple[str, Exchange, Sequence[Receipt]]], connection: SqlConnection) -> None:
    sums = Additions()
    for tenant, exchange, receipts in exchanges:
        write_experience(connection, sums, tenant, exchange, receipts)
    sums.write(connection)
