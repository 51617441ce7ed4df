"""The memory of a pruner in a SQL database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from secrets import randbits
from typing import Any, Final

from prunus.conversations.memory import ConversationRecord, Match, Recalled
from prunus.conversations.warmth import EARLIER
from prunus.errors import Overtaken
from prunus.reuse.asked_again import Experience
from prunus.schedule.ledger import Ledger
from prunus.store.cipher import Cipher
from prunus.store.memory import (
    ROW,
    STATE,
    ConversationRow,
    LedgerChange,
    Saving,
    StoredMemory,
    state_of,
)
from prunus.store.sql.cuts import experience_query, experiences, experiences_from
from prunus.store.sql.database import SqlConnection, SqlDatabase, write_name
from prunus.store.sql.lookup import BATCHES, find_ends, find_matches, goes_on, holder_queries, match_from
from prunus.store.sql.numbers import RowNumbers, find_or_begin
from prunus.store.store import StoreError

NEWEST_LIVES: Final = (
    "SELECT life FROM conversations WHERE tenant = ? AND length(life) > 0 ORDER BY last DESC LIMIT ?"
)
"""What `hindsight` reads. The index `lives_by_age` has these rows in this order, whatever the size of the store."""
_OWN: Final = "JOIN conversations c ON c.n = x.conversation WHERE c.tenant = ? AND c.id = ?"
_SET: Final = (
    "UPDATE conversations SET last = CASE WHEN last > ? THEN last ELSE ? END, stamp = ?, "
    f"flushes = coalesce(?, flushes), {', '.join(f'{name} = ?' for name in STATE)} "
    "WHERE n = ? AND tenant = ? AND id = ? AND stamp = ? AND requests < ?"
)
_UPDATE: Final = f"{_SET} RETURNING n"
"""Changes a conversation, unless it is no longer as this process has read or written it."""
_UPDATE_NEXT: Final = (
    f"{_SET} AND EXISTS (SELECT 1 FROM links WHERE tenant = ? AND link = ? AND links.conversation = n) "
    "AND NOT EXISTS (SELECT 1 FROM asked WHERE tenant = ? AND asked.conversation = ?) RETURNING n"
)
"""Does the same, unless another conversation was the last to send a link, or commands wait for this one."""
_IF_NEW: Final = "ON CONFLICT (tenant, link) DO NOTHING RETURNING depth"
_TAKE_OVER: Final = (
    "ON CONFLICT (tenant, link) DO UPDATE SET conversation = excluded.conversation "
    "WHERE links.conversation != excluded.conversation"
)
_NUMBER: Final = "(SELECT n FROM conversations WHERE tenant = ? AND id = ?)"
_BEGIN: Final = (
    f"INSERT INTO conversations (tenant, id, first, last, stamp, flushes, {', '.join(STATE)}) "
    f"VALUES (?, ?, ?, ?, ?, ?, {', '.join('?' * len(STATE))}) ON CONFLICT (tenant, id) DO NOTHING RETURNING n"
)


class SqlMemory(StoredMemory):
    """The memory of one tenant."""

    def __init__(
        self,
        database: SqlDatabase,
        numbers: RowNumbers,
        tenant: str,
        trouble: Callable[[StoreError], None] | None,
        cipher: Cipher,
    ) -> None:
        super().__init__(tenant, trouble, cipher, shared=database.shared, checks=database.remote)
        self._database = database
        self._numbers = numbers

    def _find(self, links: Sequence[bytes]) -> Sequence[Match]:
        return self._database.read(lambda connection: find_matches(connection, self._tenant, links))

    def _recall(self, links: Sequence[bytes], client: str) -> Recalled:
        """Look up the newest links, and read what a request needs next, in one round trip."""
        newest = links[-BATCHES[0] :]
        if not self._database.remote or not newest:
            return super()._recall(links, client)
        rows, edits, known = self._database.snapshot(
            *holder_queries(self._tenant, newest), experience_query(self._tenant, False, client)
        )
        if not rows:
            experience = experiences_from(known).get(client, Experience())
            return Recalled(() if len(newest) == len(links) else self._find(links), experience=experience)
        number, *row = rows[0]
        deepest, state = match_from(row[:5]), ConversationRow(*row[5:])
        self._numbers.put((self._tenant, deepest.id), number)

        def memo() -> ConversationRecord | None:
            return self._read(lambda: self._record_of(deepest.id, state, edits), None)

        if goes_on(deepest, links):
            return Recalled((deepest,), memo)
        others = self._database.read(lambda connection: find_ends(connection, self._tenant, links))
        return Recalled((deepest, *others), memo)

    def _load(self, id: str) -> ConversationRecord | None:
        place = self._tenant, id
        rows, edits = self._database.snapshot(
            (
                f"SELECT n, {', '.join(ROW)} FROM conversations WHERE tenant = ? AND id = ?",
                place,
            ),
            (f"SELECT x.message, x.part, x.edit FROM edits x {_OWN}", place),
        )
        if not rows:
            return None
        number, *row = rows[0]
        self._numbers.put(place, number)
        return self._record_of(id, ConversationRow(*row), edits)

    def _written(self, id: str) -> Iterable[tuple[int, bytes, bytes]]:
        query = f"SELECT x.message, x.key, x.text FROM written x {_OWN}"
        return self._database.read(lambda connection: connection.execute(query, (self._tenant, id)).fetchall())

    def _refresh(self, id: str, requests: int, time: float) -> bool:
        change = "UPDATE conversations SET kept = ? WHERE tenant = ? AND id = ? AND requests = ? RETURNING n"
        return self._database.write(
            lambda connection: (
                connection.execute(change, (time, self._tenant, id, requests)).fetchone() is not None
            ),
            write_name("conversation", self._tenant, id),
        )

    def _lives(self) -> Iterable[bytes]:
        place = self._tenant, EARLIER
        rows = self._database.read(lambda connection: connection.execute(NEWEST_LIVES, place).fetchall())
        return (life for [life] in rows)

    def _experience(self, client: str) -> Experience:
        found = self._database.read(lambda connection: experiences(connection, self._tenant, False, client))
        return found.get(client, Experience())

    def _keep(self, saving: Saving, also: Callable[[], None], kept: Callable[[], None]) -> None:
        place = self._tenant, saving.memo.id
        known = self._known_ledger(saving.memo.id)
        seems_new = known is None and self._numbers.get(place) is None and saving.is_plain_beginning
        begun: list[Callable[[], list[Any]]] = []

        def write(connection: SqlConnection) -> None:
            if seems_new:
                begun.append(self._begin(connection, saving))
            else:
                self._write(connection, saving, known)

        def committed() -> None:
            if seems_new:
                self._numbers.put(place, begun[-1]()[0][0])
            kept()

        def outdated() -> None:
            nonlocal seems_new, known
            # Another thread may know the number again before the second try, but not the state that it stands for.
            seems_new, known = False, None
            self._numbers.forget(place)
            if saving.follows:
                raise Overtaken(f"another process knows more of the conversation {saving.memo.id}")

        with self._database.together():
            self._database.change(
                write,
                write_name("conversation", *place),
                committed=committed,
                outdated=outdated,
            )
            also()

    def _begin(self, connection: SqlConnection, saving: Saving) -> Callable[[], list[Any]]:
        """Write a conversation that the store does not know, and return a function that returns its number.

        No statement waits for the number.
        """
        memo, place = saving.memo, (self._tenant, saving.memo.id)
        stamp, flushes = randbits(62), self._ledger_change(memo.id, None, memo.ledger).flushes or b""
        connection.require(_BEGIN, (*place, memo.seen, memo.seen, stamp, flushes, *state_of(memo)))
        self._write_links(connection, saving, _NUMBER, place)
        self._remember_ledger(memo.id, stamp, memo.ledger)
        return connection.ask("SELECT n FROM conversations WHERE tenant = ? AND id = ?", place)

    def _write(self, connection: SqlConnection, saving: Saving, known: tuple[int, Ledger] | None) -> None:
        """Write a conversation; if its stored state is the known one, no statement waits for another."""
        memo, place = saving.memo, (self._tenant, saving.memo.id)
        number = self._numbers.get(place)
        if number is None or known is None:
            [[number, stored, requests]] = find_or_begin(connection, place, memo.seen, "n, stamp, requests")()
            if requests >= memo.requests:
                raise Overtaken(f"another process has saved a newer request of the conversation {memo.id}")
            self._numbers.put(place, number)
        else:
            stored = known[0]
        before = known[1] if known is not None and known[0] == stored else None
        stamp, change = stored, LedgerChange()
        if before is None or before != memo.ledger:
            stamp, change = randbits(62), self._ledger_change(memo.id, before, memo.ledger)
        state = memo.seen, memo.seen, stamp, change.flushes, *state_of(memo)
        expected = *state, number, *place, stored, memo.requests
        if saving.follows:
            connection.require(_UPDATE_NEXT, (*expected, self._tenant, saving.follows, *place))
        else:
            connection.require(_UPDATE, expected)
        if before is None:
            connection.execute("DELETE FROM edits WHERE conversation = ?", (number,))
        self._write_edits(connection, number, change)
        self._write_messages(connection, number, saving)
        self._write_links(connection, saving, "?", (number,))
        # If the commit fails, the cached entry is harmless: no row has its stamp.
        self._remember_ledger(memo.id, stamp, memo.ledger)

    def _write_links(self, connection: SqlConnection, saving: Saving, number: str, values: Sequence[Any]) -> None:
        """Write the new links of the conversation with this number, an expression with its values.

        If the caller did not ask for the conversation, nobody may know these links yet.
        """
        insert = "INSERT INTO links (tenant, link, conversation, depth) VALUES"
        rows = [(self._tenant, link, *values, depth) for depth, link in enumerate(saving.links, saving.first_depth)]
        if saving.follows:
            for row in rows:
                connection.require(f"{insert} (?, ?, {number}, ?) {_IF_NEW}", row)
            return
        for at in range(0, len(rows), BATCHES[-1]):
            batch = rows[at : at + BATCHES[-1]]
            connection.execute(
                f"{insert} {', '.join([f'(?, ?, {number}, ?)'] * len(batch))} {_TAKE_OVER}",
                [value for row in batch for value in row],
            )

    def _write_edits(self, connection: SqlConnection, number: int, change: LedgerChange) -> None:
        connection.executemany(
            "DELETE FROM edits WHERE conversation = ? AND message = ? AND part = ?",
            ((number, *place) for place in change.removed),
        )
        connection.executemany(
            "INSERT INTO edits (conversation, message, part, edit) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (conversation, message, part) DO UPDATE SET edit = excluded.edit",
            ((number, *place, edit) for place, edit in change.rows.items()),
        )

    def _write_messages(self, connection: SqlConnection, number: int, saving: Saving) -> None:
        connection.executemany(
            "INSERT INTO written (conversation, message, key, text) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (conversation, message) DO UPDATE SET key = excluded.key, text = excluded.text",
            ((number, *one) for one in self._sent_changed(saving)),
        )
        connection.executemany(
            "DELETE FROM written WHERE conversation = ? AND message = ?",
            ((number, index) for index in saving.sent_as_they_came),
        )
