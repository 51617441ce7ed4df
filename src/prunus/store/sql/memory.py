"""The memory of a pruner in a SQL database. Each edit of a ledger is a row of its own (`ledger_rows`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, replace
from secrets import randbits
from threading import Event
from typing import Final, TypeVar

from prunus.conversations.memory import ConversationRecord, Match, nothing_else
from prunus.conversations.warmth import EARLIER
from prunus.errors import FormatError, MayBeKept, NotKept, OutOfReach, Overtaken
from prunus.reuse.experience import Experience
from prunus.reuse.learning import Learned
from prunus.schedule.cache_life import CacheLife, Hindsight, hindsight_of
from prunus.schedule.ledger import Ledger, Written
from prunus.schedule.plan import Account
from prunus.store.cipher import Cipher, WrongKey
from prunus.store.ledger_rows import KnownLedgers, ledger_change
from prunus.store.sql.cuts import experience_with
from prunus.store.sql.database import SqlConnection, SqlDatabase
from prunus.store.sql.links import find_conversations
from prunus.store.store import CommitLost, StoreError

T = TypeVar("T")

NEWEST_LIVES: Final = (
    "SELECT life FROM conversations WHERE tenant = ? AND length(life) > 0 ORDER BY last DESC LIMIT ?"
)
"""What `hindsight` reads. The index `lives_by_age` has these rows in this order, whatever the size of the store."""


class SqlMemory:
    """The memory of one tenant; see `Store.memory`."""

    def __init__(
        self,
        database: SqlDatabase,
        tenant: str,
        trouble: Callable[[StoreError], None] | None = None,
        cipher: Cipher | None = None,
    ) -> None:
        self._cipher = cipher or Cipher()
        self._database = database
        self._tenant = tenant
        self._trouble = trouble
        self._known = KnownLedgers()

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        """Return the conversations that a request with these links may continue."""
        return self._read(lambda connection: find_conversations(connection, self._tenant, links), ())

    def load(self, id: str) -> ConversationRecord | None:
        """Return the last saved state of a conversation."""
        return self._read(lambda connection: self._memo(connection, id), None, snapshot=True)

    def _read(self, work: Callable[[SqlConnection], T], otherwise: T, *, snapshot: bool = False) -> T:
        try:
            return self._database.snapshot(work) if snapshot else self._database.read(work)
        except StoreError as error:
            if self._trouble is None:
                raise
            self._trouble(error)
            if self._database.shared and not isinstance(error, WrongKey):
                raise OutOfReach("the store does not answer") from error
            return otherwise

    def written(self, id: str) -> Mapping[int, Written | None]:
        """Return the messages of a conversation that Prunus sent in changed form."""
        return self._read(lambda connection: self._written_of(connection, id), {})

    def refresh(self, id: str, requests: int, time: float) -> bool:
        """Save the time of a keep-alive request; False if another request has come."""
        change = "UPDATE conversations SET kept = ? WHERE tenant = ? AND id = ? AND requests = ?"
        try:
            return self._database.write(
                lambda connection: connection.execute(change, (time, self._tenant, id, requests)).rowcount > 0,
                conversation_name(self._tenant, id),
            )
        except StoreError as error:
            if self._trouble is None:
                raise
            self._trouble(error)
            return True

    def hindsight(self) -> Hindsight:
        """Return what other lives of the cache would have saved in the newest conversations."""
        rows: list[tuple[bytes]] = self._read(
            lambda connection: connection.execute(NEWEST_LIVES, (self._tenant, EARLIER)).fetchall(), []
        )
        return hindsight_of(life for [life] in rows)

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
    ) -> None:
        """Save a conversation, and what `also` writes, in one transaction; it is committed when this returns."""
        known = self._known.get(memo.id)
        kept = Event()
        try:
            with self._database.together():
                self._database.change(
                    lambda connection: self._keep(connection, memo, links, written, known),
                    conversation_name(self._tenant, memo.id),
                    committed=kept.set,
                )
                also()
        except StoreError as error:
            if self._trouble is None:
                raise
            self._trouble(error)
            if self._database.shared and not kept.is_set():
                reason = MayBeKept if isinstance(error, CommitLost) else NotKept
                raise reason("the store does not answer") from error

    def experience(self, client: str) -> Experience:
        """Return what the cuts in all conversations of an agent led to; shadow runs do not count."""
        return self._read(lambda connection: experience_with(connection, self._tenant, client), Experience())

    def _written_of(self, connection: SqlConnection, id: str) -> Mapping[int, Written | None]:
        rows = connection.execute(
            "SELECT w.message, w.key, w.text FROM written w JOIN conversations c ON c.n = w.conversation "
            "WHERE c.tenant = ? AND c.id = ?",
            (self._tenant, id),
        )
        return {index: Written(key, self._decrypt(text, id, f"written {index}")) for index, key, text in rows}

    def _memo(self, connection: SqlConnection, id: str) -> ConversationRecord | None:
        place = self._tenant, id
        found = connection.execute(
            "SELECT depth, requests, seen, prompt, stamp, flushes, learned, life, kept, whole, paid, tokens "
            "FROM conversations WHERE tenant = ? AND id = ?",
            place,
        )
        edits = connection.execute(
            "SELECT e.message, e.part, e.edit FROM edits e JOIN conversations c ON c.n = e.conversation "
            "WHERE c.tenant = ? AND c.id = ?",
            place,
        )
        row = found.fetchone()
        if row is None:
            return None
        depth, requests, seen, prompt, stamp, flushes, learned, life, kept, *account = row
        try:
            rows = Ledger.load_all([self._decrypt(raw, id, f"e {message} {part}") for message, part, raw in edits])
            whole = Ledger.load(self._decrypt(flushes, id, "flushes")) if flushes else Ledger()
            known = Learned.load(learned)
            alive = CacheLife.load(life, kept)
        except FormatError:
            # Another version of Prunus wrote this ledger. The conversation starts anew, which costs one cache miss.
            return None
        ledger = replace(whole, edits=rows.edits, tags=rows.tags)
        self._known.put(id, stamp, ledger)
        return ConversationRecord(id, ledger, depth, requests, seen, prompt, Account(*account), known, alive)

    def _keep(
        self,
        connection: SqlConnection,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        known: tuple[int, Ledger] | None,
    ) -> None:
        row = connection.execute(
            "SELECT n, stamp, requests, last FROM conversations WHERE tenant = ? AND id = ?",
            (self._tenant, memo.id),
        ).fetchone()
        if row is None:
            row = begin(connection, self._tenant, memo.id, memo.seen), 0, 0, memo.seen
        number, stamp, requests, last = row
        if requests >= memo.requests:
            raise Overtaken(f"another process has saved a newer request of the conversation {memo.id}")
        before = known[1] if known is not None and known[0] == stamp else None
        flushes = None
        if before is None or before != memo.ledger:
            # The stamp is random, so a process that finds a different stamp knows that its cached ledger is stale.
            stamp = randbits(62)
            flushes = self._write_edits(connection, number, memo, before)
        self._write_messages(connection, number, memo.id, written)
        connection.execute(
            "UPDATE conversations SET last = ?, seen = ?, requests = ?, depth = ?, prompt = ?, stamp = ?, "
            "flushes = coalesce(?, flushes), "
            "learned = ?, life = ?, kept = ?, whole = ?, paid = ?, tokens = ? WHERE n = ?",
            (
                max(last, memo.seen),
                memo.seen,
                memo.requests,
                memo.depth,
                memo.prompt,
                stamp,
                flushes,
                memo.learned.dump(),
                memo.life.dump(),
                memo.life.kept,
                *astuple(memo.account),
                number,
            ),
        )
        above = memo.depth - len(links) + 1
        connection.executemany(
            "INSERT INTO links (tenant, link, conversation, depth) VALUES (?, ?, ?, ?) ON CONFLICT (tenant, link) "
            "DO UPDATE SET conversation = excluded.conversation WHERE links.conversation != excluded.conversation",
            ((self._tenant, link, number, above + at) for at, link in enumerate(links)),
        )
        # If the commit fails, the cached entry is harmless: no row has its stamp.
        self._known.put(memo.id, int(stamp), memo.ledger)

    def _write_edits(
        self, connection: SqlConnection, number: int, memo: ConversationRecord, stored: Ledger | None
    ) -> bytes | None:
        """Write the edits that differ from the stored ledger, or all of them if the stored one is unknown.

        Returns flushes and commands for the row of the conversation; None if they did not change.
        """
        if stored is None:
            connection.execute("DELETE FROM edits WHERE conversation = ?", (number,))
        change = ledger_change(stored, memo.ledger)
        if change.removed:
            connection.executemany(
                "DELETE FROM edits WHERE conversation = ? AND message = ? AND part = ?",
                ((number, *place) for place in change.removed),
            )
        if change.rows:
            connection.executemany(
                "INSERT INTO edits (conversation, message, part, edit) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (conversation, message, part) DO UPDATE SET edit = excluded.edit",
                (
                    (number, *place, self._encrypt(row.dump(), memo.id, f"e {place.message} {place.part}"))
                    for place, row in change.rows.items()
                ),
            )
        if change.rest is None or change.rest == Ledger():
            return None if change.rest is None else b""
        return self._encrypt(change.rest.dump(), memo.id, "flushes")

    def _write_messages(
        self, connection: SqlConnection, number: int, id: str, written: Mapping[int, Written | None]
    ) -> None:
        changed = [
            (number, index, one.key, self._encrypt(one.text, id, f"written {index}"))
            for index, one in written.items()
            if one is not None
        ]
        if changed:
            connection.executemany(
                "INSERT INTO written (conversation, message, key, text) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (conversation, message) DO UPDATE SET key = excluded.key, text = excluded.text",
                changed,
            )
        as_they_came = [(number, index) for index, one in written.items() if one is None]
        if as_they_came:
            connection.executemany("DELETE FROM written WHERE conversation = ? AND message = ?", as_they_came)

    def _encrypt(self, data: bytes, id: str, what: str) -> bytes:
        return self._cipher.encrypt(data, self._tenant, id, what)

    def _decrypt(self, data: bytes, id: str, what: str) -> bytes:
        return self._cipher.decrypt(data, self._tenant, id, what)


def begin(connection: SqlConnection, tenant: str, id: str, time: float) -> int:
    """Insert a conversation, and return its row number."""
    [[number]] = connection.execute(
        "INSERT INTO conversations (tenant, id, first, last) VALUES (?, ?, ?, ?) RETURNING n",
        (tenant, id, time, time),
    ).fetchall()
    return int(number)


def conversation_name(tenant: str, id: str) -> str:
    """Return the name that writes of one conversation share, see `SqlDatabase.write`."""
    return f"conversation {tenant!r} {id}"
