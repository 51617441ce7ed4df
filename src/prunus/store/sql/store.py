"""The store in a SQL database: a SQLite file, or a Postgres server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, Final

from prunus.conversations.memory import Memory
from prunus.outcome import Receipt
from prunus.reuse.asked_again import Experience
from prunus.settings.tables import StoreSettings as Limits
from prunus.store.cipher import Cipher
from prunus.store.recent import Recent
from prunus.store.records import Exchange, Info, KnownConversation, cuts_of
from prunus.store.sql.cuts import experiences
from prunus.store.sql.database import NO_LIMIT, SqlConnection, SqlDatabase, write_name
from prunus.store.sql.memory import SqlMemory
from prunus.store.sql.numbers import RowNumbers
from prunus.store.sql.recording import (
    Ready,
    encrypted_exchange,
    encrypted_receipt,
    write_exchanges,
    write_receipts,
)
from prunus.store.sql.reports import SqlReports
from prunus.store.sql.retention import forget, forget_originals, tidy
from prunus.store.sql.sums import Additions
from prunus.store.store import StoreError

_EVERY: Final = 64
"""The store checks its size and age when it is opened, and after this many exchanges of a process."""
_AGAIN: Final = 3_600.0
"""It does so too with the first exchange after this many seconds."""
_CHECKPOINT: Final = 8
"""Every eighth check also moves the log of a SQLite file into the file.

The first commit after that waits for the disk (6 to 60 ms), and requests that come meanwhile wait for that commit.
So it happens only after 512 exchanges, when the log has about 20 MB.
"""
_DAY: Final = 86_400.0
_KEYS: Final = 500
"""The most keys in one query."""
_NUMBERS: Final = 4096
"""The number of conversations whose row numbers are cached, and of requests that may be under way."""
_TABLES: Final = (
    "conversations", "originals", "hidden", "asked", "totals", "days", "strategies", "agents", "experience",
)  # fmt: skip
"""The tables that `clear` empties; rows of other tables belong to conversations and go with them."""
_TENANTS: Final = (
    "SELECT tenant FROM totals UNION SELECT tenant FROM conversations UNION SELECT tenant FROM agents ORDER BY 1"
)
_ASKED: Final = "SELECT what FROM asked WHERE tenant = ? AND conversation = ? ORDER BY n"


class SqlStore(SqlReports):
    """A store in a database; `Store` documents the methods."""

    keeps_receipts = True

    def __init__(self, database: SqlDatabase, limits: Limits, cipher: Cipher) -> None:
        super().__init__(database, cipher)
        self.place = database.place
        self.hurry = database.hurry
        self._limits = limits
        self._numbers = RowNumbers(_NUMBERS)
        self._uncounted: Recent[str, Additions] = Recent(_NUMBERS)
        """What the receipts of requests without an answer add to the sums, by the id of their exchange."""
        self._recorded = 0
        self._checks = 0
        self._checked = time.monotonic()
        self._searched = 0.0
        """When this process has last looked for originals that nobody needs."""

    def memory(self, tenant: str, trouble: Callable[[StoreError], None] | None = None) -> Memory:
        return SqlMemory(self._database, self._numbers, tenant, trouble, self._cipher)

    def record(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt] = ()) -> None:
        if exchange.status:
            self._write_down([(tenant, replace(exchange, cuts=cuts_of(receipts)), receipts)])
            self._housekeep(1)
        elif receipts:
            self._write_ahead(tenant, exchange, receipts)

    def record_all(self, exchanges: Sequence[tuple[str, Exchange]]) -> None:
        if exchanges:
            self._write_down([(tenant, exchange, ()) for tenant, exchange in exchanges])
            self._housekeep(len(exchanges))

    def _write_ahead(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt]) -> None:
        """Write the receipts of a request that is not sent yet."""
        ready, names = self._ready(tenant, exchange, receipts)
        sums = Additions()

        def write(connection: SqlConnection) -> None:
            nonlocal sums
            sums = write_receipts(tenant, exchange, ready, self._numbers, connection)

        def count_later() -> None:
            sums.count()
            sums.take(self._uncounted.get(exchange.id) or Additions())
            self._uncounted.put(exchange.id, sums)

        place = tenant, exchange.conversation
        self._database.change(write, *names, committed=count_later, outdated=lambda: self._numbers.forget(place))

    def _write_down(self, exchanges: Sequence[tuple[str, Exchange, Sequence[Receipt]]]) -> None:
        work, names = self._recording(exchanges)

        def forget_numbers() -> None:
            for tenant, exchange, _ in exchanges:
                self._numbers.forget((tenant, exchange.conversation))

        def forget_sums() -> None:
            for _, exchange, _ in exchanges:
                self._uncounted.forget(exchange.id)

        self._database.change(work, *names, committed=forget_sums, outdated=forget_numbers)

    def _recording(
        self, exchanges: Sequence[tuple[str, Exchange, Sequence[Receipt]]]
    ) -> tuple[Callable[[SqlConnection], None], set[str]]:
        """Return a callback that writes exchanges, and the names of what others may write too."""
        ready, names = [], set()
        for tenant, exchange, receipts in exchanges:
            some, changed = self._ready(tenant, exchange, receipts)
            names |= changed
            ready.append((tenant, encrypted_exchange(self._cipher, tenant, exchange), some))
        ids = {exchange.id for _, exchange, _ in exchanges}
        uncounted = [sums for id in ids if (sums := self._uncounted.get(id)) is not None]
        return partial(write_exchanges, ready, uncounted, self._numbers), names

    def _ready(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt]) -> tuple[list[Ready], set[str]]:
        """Return the receipts of an exchange as they are stored, and the names of what others may write too."""
        keep = self._limits.originals and not exchange.shadow
        ready = [encrypted_receipt(self._cipher, tenant, one, keep_original=keep) for one in receipts]
        names = {write_name("original", tenant, one.hash.hex()) for _, one in ready if one is not None}
        return ready, {write_name("conversation", tenant, exchange.conversation), *names}

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
        value = self._cipher.encrypt(value, tenant, "hidden", key)
        self._change(
            "INSERT INTO hidden (tenant, key, value, seen) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value, seen = excluded.seen",
            [(tenant, key, value, time.time())],
            write_name("hidden", tenant, key),
        )

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
        wanted = list(dict.fromkeys(keys))
        if not wanted:
            return {}
        found = self._database.read(lambda connection: _hidden(connection, tenant, wanted))
        now = time.time()
        unused = [(now, tenant, key) for key, (_, seen) in found.items() if now - seen > _DAY]
        if unused:
            names = (write_name("hidden", tenant, key) for _, _, key in unused)
            # The exchanges are read. If their use cannot be saved now, the next read saves it.
            with suppress(StoreError):
                self._change("UPDATE hidden SET seen = ? WHERE tenant = ? AND key = ?", unused, *names)
        return {key: self._cipher.decrypt(value, tenant, "hidden", key) for key, (value, _) in found.items()}

    def ask(self, tenant: str, conversation: str, what: str) -> None:
        self._change(
            "INSERT INTO asked (tenant, conversation, what, time) VALUES (?, ?, ?, ?)",
            [(tenant, conversation, what, time.time())],
            write_name("conversation", tenant, conversation),
        )

    def asked(self, tenant: str, conversation: str) -> tuple[str, ...]:
        rows = self._database.read(lambda connection: connection.execute(_ASKED, (tenant, conversation)).fetchall())
        return tuple(what for [what] in rows)

    def take(self, tenant: str, conversation: str) -> tuple[str, ...]:
        if not self.asked(tenant, conversation):
            return ()

        def take(connection: SqlConnection) -> tuple[str, ...]:
            place = tenant, conversation
            found = tuple(what for [what] in connection.execute(_ASKED, place))
            connection.execute("DELETE FROM asked WHERE tenant = ? AND conversation = ?", place)
            return found

        return self._database.write(take, write_name("conversation", tenant, conversation))

    def experiences(self, tenant: str, *, shadow: bool = False) -> Mapping[str, Experience]:
        return self._database.report(lambda connection: experiences(connection, tenant, shadow))

    def conversations(
        self, tenant: str, id: str = "", *, before: float | None = None, limit: int | None = None
    ) -> list[KnownConversation]:
        old, last = ("AND last < ?", (before,)) if before is not None else ("", ())
        query = (
            f"SELECT id, last FROM conversations WHERE tenant = ? AND substr(id, 1, ?) = ? {old} "
            "ORDER BY last DESC, n DESC LIMIT ?"
        )
        rows = self._rows(query, tenant, len(id), id, *last, NO_LIMIT if limit is None else limit)
        return [KnownConversation(*row) for row in rows]

    def info(self) -> Info:
        def read(connection: SqlConnection) -> Info:
            def one(what: str) -> Any:
                return connection.execute(f"SELECT {what}").fetchone()[0]

            return replace(
                self._database.space(connection),
                limit=self._limits.size,
                days=self._limits.days,
                tenants=tuple(tenant for [tenant] in connection.execute(_TENANTS)),
                conversations=one("count(*) FROM conversations"),
                exchanges=one("count(*) FROM exchanges"),
                receipts=one("count(*) FROM receipts WHERE what != 'passed'"),
                originals=one("count(*) FROM originals"),
                originals_size=one("coalesce(sum(length(data)), 0) FROM originals"),
                originals_text=one("coalesce(sum(size), 0) FROM originals"),
                hidden=one("count(*) FROM hidden"),
                oldest=one("coalesce(min(first), 0.0) FROM conversations"),
                newest=one("coalesce(max(last), 0.0) FROM conversations"),
                keeps_receipts=self.keeps_receipts,
            )

        return self._database.report(read)

    def forget(self, tenant: str, conversations: Sequence[str]) -> int:
        gone = forget(self._database, tenant, conversations)
        if gone:
            forget_originals(self._database)
            self._database.scrub()
        return gone

    def forget_hidden(self, tenant: str, before: float) -> int:
        query = "DELETE FROM hidden WHERE tenant = ? AND seen < ? RETURNING key"
        gone = self._database.write(lambda connection: len(connection.execute(query, (tenant, before)).fetchall()))
        if gone:
            self._database.scrub()
        return gone

    def vacuum(self) -> None:
        self._tidy(None)
        self._database.compact()

    def clear(self) -> None:
        def clear(connection: SqlConnection) -> None:
            for table in _TABLES:
                connection.execute(f"DELETE FROM {table}")

        self._database.write(clear)
        self._database.compact()

    def open(self) -> None:
        self._database.open()
        self._housekeep(_EVERY)

    def close(self) -> None:
        self._database.close()

    def _housekeep(self, recorded: int) -> None:
        """Check size and age from time to time."""
        self._recorded += recorded
        now = time.monotonic()
        if self._recorded >= _EVERY or now - self._checked >= _AGAIN:
            self._recorded, self._checked = 0, now
            # The exchanges are committed. If housekeeping fails now, it runs again later.
            with suppress(StoreError):
                self._checks += 1
                if self._checks % _CHECKPOINT == 0:
                    self._database.checkpoint()
                if not self._tidy(0.05):
                    self._recorded = _EVERY - 1

    def _tidy(self, seconds: float | None) -> bool:
        limits = self._limits
        now = time.time()
        done = tidy(self._database, size=limits.size, days=limits.days, now=now, seconds=seconds)
        if done and (limits.originals_days or seconds is None or now - self._searched > _DAY):
            self._searched = now
            before = now - limits.originals_days * _DAY if limits.originals_days else -inf
            forget_originals(self._database, before)
        return done

    def _change(self, statement: str, rows: Sequence[tuple[str | bytes | float, ...]], *names: str) -> None:
        self._database.write(lambda connection: connection.executemany(statement, rows), *names)


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
