"""The store in a SQL database: a SQLite file, or a Postgres server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar

from prunus.conversations.context import Context
from prunus.conversations.memory import Memory
from prunus.outcome import Receipt
from prunus.reuse.experience import Experience
from prunus.settings.tables import StoreSettings as Limits
from prunus.spending import DayTotals, Earnings
from prunus.store import days, earnings, newest, reading, regrets
from prunus.store.cipher import Cipher
from prunus.store.memory import SqlMemory, conversation_name
from prunus.store.private_texts import (
    hide_exchange,
    hide_receipt,
    show_days,
    show_exchanges,
    show_original,
    show_receipts,
)
from prunus.store.recording import Ready, write_exchanges
from prunus.store.records import Exchange, Info, KnownConversation, StoredReceipt, StoredSession, Totals
from prunus.store.retention import forget, forget_originals, forget_orphans, tidy
from prunus.store.sql import SqlConnection, SqlDatabase
from prunus.store.store import StoreError

T = TypeVar("T")

_EVERY: Final = 64
"""The store checks its size and age after this many exchanges."""
_DAY: Final = 86_400.0
_KEYS: Final = 500
"""The most keys in one query."""
_TABLES: Final = (
    "conversations",
    "originals",
    "hidden",
    "asked",
    "totals",
    "days",
    "strategies",
    "agents",
    "experience",
)
"""The tables that `clear` empties; rows of other tables belong to conversations and go with them."""


class SqlStore:
    """A store in a database; `Store` documents the methods."""

    def __init__(self, database: SqlDatabase, limits: Limits | None = None, cipher: Cipher | None = None) -> None:
        self._database = database
        self._cipher = cipher or Cipher()
        self._limits = limits or Limits()
        self._recorded = 0

    def memory(self, tenant: str, trouble: Callable[[StoreError], None] | None = None) -> Memory:
        return SqlMemory(self._database, tenant, trouble, self._cipher)

    def record(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt] = ()) -> None:
        keep = self._limits.originals and not exchange.shadow
        ready = [hide_receipt(self._cipher, tenant, receipt, keep_original=keep) for receipt in receipts]
        hidden = hide_exchange(self._cipher, tenant, exchange)
        self._database.change(partial(write_exchanges, [(tenant, hidden, ready)]), *_names(tenant, exchange, ready))
        # An exchange without a status is recorded before its request is sent; housekeeping would delay the request.
        if exchange.status:
            self._housekeep(1)

    @property
    def keeps_receipts(self) -> bool:
        return True

    def record_all(self, exchanges: Sequence[tuple[str, Exchange]]) -> None:
        if not exchanges:
            return
        hidden = [(tenant, hide_exchange(self._cipher, tenant, exchange), ()) for tenant, exchange in exchanges]
        names = {name for tenant, exchange in exchanges for name in _names(tenant, exchange)}
        self._database.write(partial(write_exchanges, hidden), *sorted(names))
        self._housekeep(len(exchanges))

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
        value = self._cipher.encrypt(value, tenant, "hidden", key)
        self._change(
            "INSERT INTO hidden (tenant, key, value, seen) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value, seen = excluded.seen",
            (tenant, key, value, time.time()),
            f"hidden {tenant!r} {key}",
        )

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
        wanted = list(dict.fromkeys(keys))
        if not wanted:
            return {}
        found = self._database.read(lambda connection: _hidden(connection, tenant, wanted))
        now = time.time()
        unused = [(now, tenant, key) for key, (_, seen) in found.items() if now - seen > _DAY]
        if unused:
            self._database.write(
                lambda connection: connection.executemany(
                    "UPDATE hidden SET seen = ? WHERE tenant = ? AND key = ?", unused
                ),
                *(f"hidden {tenant!r} {key}" for _, _, key in unused),
            )
        return {key: self._cipher.decrypt(value, tenant, "hidden", key) for key, (value, _) in found.items()}

    def ask(self, tenant: str, conversation: str, what: str) -> None:
        self._change(
            "INSERT INTO asked (tenant, conversation, what, time) VALUES (?, ?, ?, ?)",
            (tenant, conversation, what, time.time()),
            conversation_name(tenant, conversation),
        )

    def asked(self, tenant: str, conversation: str) -> tuple[str, ...]:
        return self._database.read(lambda connection: _asked(connection, tenant, conversation))

    def take(self, tenant: str, conversation: str) -> tuple[str, ...]:
        if not self.asked(tenant, conversation):
            return ()

        def take(connection: SqlConnection) -> tuple[str, ...]:
            found = _asked(connection, tenant, conversation)
            connection.execute("DELETE FROM asked WHERE tenant = ? AND conversation = ?", (tenant, conversation))
            return found

        return self._database.write(take, conversation_name(tenant, conversation))

    def sessions(
        self, tenant: str, limit: int | None = None, *, offset: int = 0, id: str = "", words: str = ""
    ) -> list[StoredSession]:
        return self._database.report(
            lambda connection: reading.sessions(connection, tenant, limit, offset, id, words)
        )

    def exchanges(self, tenant: str, conversation: str) -> list[Exchange]:
        found = self._database.report(lambda connection: reading.exchanges(connection, tenant, conversation))
        return show_exchanges(self._cipher, tenant, found)

    def receipts(self, tenant: str, conversation: str = "", limit: int | None = None) -> list[StoredReceipt]:
        return self._receipts(tenant, lambda connection: reading.receipts(connection, tenant, conversation, limit))

    def newest_exchanges(self, tenant: str, after: int = 0, limit: int = 50) -> tuple[int, list[Exchange]]:
        mark, found = self._database.report(
            lambda connection: newest.newest_exchanges(connection, tenant, after, limit)
        )
        return mark, show_exchanges(self._cipher, tenant, found)

    def newest_receipts(
        self, tenant: str, strategy: str = "", limit: int = 50, offset: int = 0
    ) -> list[StoredReceipt]:
        return self._receipts(
            tenant, lambda connection: newest.newest_receipts(connection, tenant, strategy, limit, offset)
        )

    def receipt(self, tenant: str, conversation: str, message: int, part: int) -> StoredReceipt | None:
        found = self._receipts(
            tenant, lambda connection: newest.receipt_at(connection, tenant, conversation, message, part)
        )
        return found[0] if found else None

    def find(self, tenant: str, id: str) -> list[StoredReceipt]:
        return self._receipts(tenant, lambda connection: reading.find(connection, tenant, id))

    def original(self, tenant: str, digest: str) -> str | None:
        found = self._database.report(lambda connection: reading.original(connection, tenant, digest))
        return None if found is None else show_original(self._cipher, tenant, *found)

    def contexts(self, tenant: str, conversation: str = "") -> list[Context]:
        return self._database.report(lambda connection: reading.contexts(connection, tenant, conversation))

    def totals(self, tenant: str, conversation: str = "", *, shadow: bool = False) -> Totals:
        return self._database.report(lambda connection: reading.totals(connection, tenant, conversation, shadow))

    def days(self, tenant: str, since: str = "", *, shadow: bool = False) -> list[DayTotals]:
        found = self._database.report(lambda connection: days.days(connection, tenant, since, shadow))
        return show_days(self._cipher, tenant, found)

    def bills(self, tenant: str, conversation: str, *, shadow: bool = False) -> list[DayTotals]:
        return self._database.report(lambda connection: days.bills(connection, tenant, conversation, shadow))

    def earnings(self, tenant: str, since: float = 0.0, *, shadow: bool = False) -> list[Earnings]:
        return self._database.report(lambda connection: earnings.earnings(connection, tenant, since, shadow))

    def experiences(self, tenant: str, *, shadow: bool = False) -> Mapping[str, Experience]:
        return self._database.report(lambda connection: regrets.experiences(connection, tenant, shadow))

    def info(self) -> Info:
        return self._database.report(
            lambda connection: reading.info(
                connection, self._database.space(connection), self._limits.size, self._limits.days
            )
        )

    def conversations(
        self, tenant: str, id: str = "", *, before: float | None = None, limit: int | None = None
    ) -> list[KnownConversation]:
        return self._database.report(
            lambda connection: reading.conversations(connection, tenant, id, before, limit)
        )

    def forget(self, tenant: str, conversations: Sequence[str]) -> int:
        gone = forget(self._database, tenant, conversations)
        if gone:
            self._database.scrub()
        return gone

    def forget_hidden(self, tenant: str, before: float) -> int:
        return self._database.write(
            lambda connection: (
                connection.execute("DELETE FROM hidden WHERE tenant = ? AND seen < ?", (tenant, before)).rowcount
            )
        )

    def vacuum(self) -> None:
        self._tidy(None)
        self._database.write(forget_orphans)
        self._database.compact()

    def clear(self) -> None:
        def clear(connection: SqlConnection) -> None:
            for table in _TABLES:
                connection.execute(f"DELETE FROM {table}")

        self._database.write(clear)
        self._database.compact()

    def open(self) -> None:
        self._database.read(lambda _: None)

    def close(self) -> None:
        self._database.close()

    def _receipts(self, tenant: str, read: Callable[[SqlConnection], list[StoredReceipt]]) -> list[StoredReceipt]:
        return show_receipts(self._cipher, tenant, self._database.report(read))

    def _housekeep(self, recorded: int) -> None:
        """Check size and age from time to time."""
        self._recorded += recorded
        if self._recorded >= _EVERY:
            self._recorded = 0
            # The exchanges are committed. If housekeeping fails now, it runs again later.
            with suppress(StoreError):
                self._database.checkpoint()
                if not self._tidy(0.05):
                    self._recorded = _EVERY - 1

    def _tidy(self, seconds: float | None) -> bool:
        limits = self._limits
        now = time.time()
        done = tidy(self._database, size=limits.size, days=limits.days, now=now, seconds=seconds)
        if done and limits.originals_days:
            forget_originals(self._database, now - limits.originals_days * _DAY)
        return done

    def _change(self, statement: str, values: tuple[str | bytes | float, ...], name: str) -> None:
        self._database.write(lambda connection: connection.execute(statement, values), name)


def _names(tenant: str, exchange: Exchange, receipts: Sequence[Ready] = ()) -> list[str]:
    """Return the names for writing an exchange: its conversation, and the originals that others may write too."""
    originals = {original.hash for _, original in receipts if original is not None}
    return [
        conversation_name(tenant, exchange.conversation),
        *(f"original {tenant!r} {hash.hex()}" for hash in originals),
    ]


def _hidden(connection: SqlConnection, tenant: str, keys: list[str]) -> dict[str, tuple[bytes, float]]:
    found = {}
    for at in range(0, len(keys), _KEYS):
        some = keys[at : at + _KEYS]
        marks = ",".join("?" * len(some))
        for key, value, seen in connection.execute(
            f"SELECT key, value, seen FROM hidden WHERE tenant = ? AND key IN ({marks})", (tenant, *some)
        ):
            found[key] = value, seen
    return found


def _asked(connection: SqlConnection, tenant: str, conversation: str) -> tuple[str, ...]:
    rows = connection.execute(
        "SELECT what FROM asked WHERE tenant = ? AND conversation = ? ORDER BY n", (tenant, conversation)
    )
    return tuple(what for [what] in rows)
