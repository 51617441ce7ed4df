"""What a pruner remembers, in SQLite.

The edits of a ledger are rows of their own, so a request writes only those that it changed; a ledger of 500 edits
would otherwise be encoded whole each time one comes.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from secrets import randbits
from threading import Lock
from typing import Final

from prunus.edits import Edit
from prunus.errors import FormatError
from prunus.memory import PAST, Memo
from prunus.policy.account import Account
from prunus.policy.ledger import Ledger
from prunus.store.database import Database
from prunus.store.store import StoreError

__all__ = ["SqliteMemory", "begin"]

_BATCHES: Final = (2, 32, 512)
"""Links of one query; fixed sizes, so that the statement is prepared once. The last one repeats."""
_LEDGERS: Final = 256
"""Ledgers whose written form is known."""


class SqliteMemory:
    """The memory of one tenant; see `Store.memory`."""

    def __init__(
        self, database: Database, tenant: str, trouble: Callable[[StoreError], None] | None = None
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._trouble = trouble
        self._written: OrderedDict[str, tuple[int, Ledger]] = OrderedDict()
        self._lock = Lock()

    def recall(self, links: Sequence[bytes]) -> tuple[Memo, int] | None:
        """The conversation that holds the deepest of these links, and which of them it is."""
        try:
            return self._database.read(lambda connection: self._recall(connection, links))
        except StoreError as error:
            if self._trouble is None:
                raise
            self._trouble(error)
            return None

    def keep(self, memo: Memo, links: Sequence[bytes]) -> None:
        """Remember a conversation; committed when this returns, or with what is written together."""
        with self._lock:
            known = self._written.get(memo.id)
        try:
            self._database.change(lambda connection: self._keep(connection, memo, links, known))
        except StoreError as error:
            if self._trouble is None:
                raise
            self._trouble(error)

    def lengths(self, before: float) -> Sequence[int]:
        """The requests of the newest conversations that have had none since this time."""
        try:
            return self._database.read(lambda connection: self._lengths(connection, before))
        except StoreError as error:
            if self._trouble is None:
                raise
            self._trouble(error)
            return ()

    def _lengths(self, connection: sqlite3.Connection, before: float) -> tuple[int, ...]:
        # Where only an exchange could be recorded, the number of requests is not known.
        rows = connection.execute(
            "SELECT requests FROM conversations WHERE tenant = ? AND last < ? AND requests > 0 "
            "ORDER BY last DESC, n DESC LIMIT ?",
            (self._tenant, before, PAST),
        )
        return tuple(requests for [requests] in rows)

    def _recall(self, connection: sqlite3.Connection, links: Sequence[bytes]) -> tuple[Memo, int] | None:
        for first, batch in _deepest_first(links):
            marks = ",".join("?" * len(batch))
            found = dict(
                connection.execute(
                    f"SELECT link, conversation FROM links WHERE tenant = ? AND link IN ({marks})",
                    (self._tenant, *batch),
                ).fetchall()
            )
            if found:
                at = next(at for at in range(len(links) - 1, first - 1, -1) if links[at] in found)
                memo = self._memo(connection, found[links[at]])
                return None if memo is None else (memo, at)
        return None

    def _memo(self, connection: sqlite3.Connection, number: int) -> Memo | None:
        connection.execute("BEGIN")
        row = connection.execute(
            "SELECT id, depth, requests, seen, prompt, stamp, flushes, whole, paid, tokens FROM conversations "
            "WHERE n = ?",
            (number,),
        ).fetchone()
        edits = connection.execute("SELECT edit FROM edits WHERE conversation = ?", (number,)).fetchall()
        connection.execute("COMMIT")
        if row is None:
            return None
        id, depth, requests, seen, prompt, stamp, flushes, *account = row
        try:
            ledger = Ledger(
                tuple(edit for [raw] in edits for edit in Ledger.load(raw).edits),
                Ledger.load(flushes).flushes if flushes else (),
            )
        except FormatError:
            # Written by another version of Prunus: the conversation begins anew, for a cache miss at most.
            return None
        self._note(id, stamp, ledger)
        return Memo(id, ledger, depth, requests, seen, prompt, Account(*account))

    def _keep(
        self,
        connection: sqlite3.Connection,
        memo: Memo,
        links: Sequence[bytes],
        known: tuple[int, Ledger] | None,
    ) -> None:
        row = connection.execute(
            "SELECT n, stamp FROM conversations WHERE tenant = ? AND id = ?", (self._tenant, memo.id)
        ).fetchone()
        if row is None:
            row = begin(connection, self._tenant, memo.id, memo.seen), 0
        number, stamp = row
        written = known[1] if known is not None and known[0] == stamp else None
        if written is None or written != memo.ledger:
            # A random stamp: whoever finds another one than its own does not know what is written.
            stamp = randbits(62)
            self._write_ledger(connection, number, stamp, memo.ledger, written)
        connection.execute(
            "UPDATE conversations SET last = max(last, ?), seen = ?, requests = ?, depth = ?, prompt = ?, "
            "whole = ?, paid = ?, tokens = ? WHERE n = ?",
            (memo.seen, memo.seen, memo.requests, memo.depth, memo.prompt, *astuple(memo.account), number),
        )
        above = memo.depth - len(links) + 1
        connection.executemany(
            "INSERT INTO links (tenant, link, conversation, depth) VALUES (?, ?, ?, ?) ON CONFLICT (tenant, link) "
            "DO UPDATE SET conversation = excluded.conversation WHERE conversation != excluded.conversation",
            ((self._tenant, link, number, above + at) for at, link in enumerate(links)),
        )
        # Were it not committed after all, the stamp would not be found.
        self._note(memo.id, int(stamp), memo.ledger)

    def _write_ledger(
        self, connection: sqlite3.Connection, number: int, stamp: int, ledger: Ledger, written: Ledger | None
    ) -> None:
        """Write what differs from the written form, or all of it where that is not known."""
        if written is None:
            connection.execute("DELETE FROM edits WHERE conversation = ?", (number,))
        before, now = _by_place(written.edits if written is not None else ()), _by_place(ledger.edits)
        connection.executemany(
            "DELETE FROM edits WHERE conversation = ? AND message = ? AND part = ?",
            ((number, *place) for place in before.keys() - now.keys()),
        )
        changed = ((place, edit) for place, edit in now.items() if before.get(place) != edit)
        connection.executemany(
            "INSERT OR REPLACE INTO edits (conversation, message, part, edit) VALUES (?, ?, ?, ?)",
            ((number, *place, Ledger((edit,)).dump()) for place, edit in changed),
        )
        connection.execute("UPDATE conversations SET stamp = ? WHERE n = ?", (stamp, number))
        if written is None or written.flushes != ledger.flushes:
            flushes = Ledger(flushes=ledger.flushes).dump() if ledger.flushes else b""
            connection.execute("UPDATE conversations SET flushes = ? WHERE n = ?", (flushes, number))

    def _note(self, id: str, stamp: int, ledger: Ledger) -> None:
        """Remember what is written of a conversation."""
        with self._lock:
            self._written[id] = stamp, ledger
            self._written.move_to_end(id)
            if len(self._written) > _LEDGERS:
                self._written.popitem(last=False)


def begin(connection: sqlite3.Connection, tenant: str, id: str, time: float) -> int:
    """A new row for a conversation, counted for all time."""
    cursor = connection.execute(
        "INSERT INTO conversations (tenant, id, first, last) VALUES (?, ?, ?, ?)", (tenant, id, time, time)
    )
    connection.execute(
        "INSERT INTO totals (tenant, shadow, conversations) VALUES (?, 0, 1) "
        "ON CONFLICT (tenant, shadow) DO UPDATE SET conversations = conversations + 1",
        (tenant,),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _deepest_first(links: Sequence[bytes]) -> Iterator[tuple[int, Sequence[bytes]]]:
    """The links from the last one back in batches of fixed sizes, each with the place of its first."""
    end, step = len(links), 0
    while end > 0:
        size = _BATCHES[min(step, len(_BATCHES) - 1)]
        first = max(0, end - size)
        batch = links[first:end]
        yield first, (*batch, *[batch[-1]] * (size - len(batch)))
        end, step = first, step + 1


def _by_place(edits: Iterable[Edit]) -> dict[tuple[int, int], Edit]:
    return {(edit.target.message, edit.target.part): edit for edit in edits}
