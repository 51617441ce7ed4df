"""The memory of a pruner in a SQL database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from secrets import randbits
from typing import Final

from prunus.conversations.memory import ConversationRecord, Match
from prunus.conversations.warmth import EARLIER
from prunus.errors import Overtaken
from prunus.reuse.asked_again import Experience
from prunus.schedule.ledger import Ledger
from prunus.store.cipher import Cipher
from prunus.store.memory import (
    STATE,
    ConversationRow,
    LedgerChange,
    Saving,
    StoredMemory,
    deepest_first,
    state_of,
)
from prunus.store.sql.cuts import experiences
from prunus.store.sql.database import SqlConnection, SqlDatabase, write_name
from prunus.store.sql.numbers import RowNumbers, find_or_begin
from prunus.store.store import StoreError

NEWEST_LIVES: Final = (
    "SELECT life FROM conversations WHERE tenant = ? AND length(life) > 0 ORDER BY last DESC LIMIT ?"
)
"""What `hindsight` reads. The index `lives_by_age` has these rows in this order, whatever the size of the store."""
_BATCHES: Final = (4, 32, 512)
"""The links per query. They are fixed, so that a database prepares each statement once.

A step of the model adds two or three messages, so the first query finds the link before them.
"""
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
_NEW_LINK: Final = (
    "INSERT INTO links (tenant, link, conversation, depth) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (tenant, link) DO NOTHING RETURNING depth"
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
        super().__init__(tenant, trouble, cipher, shared=database.shared)
        self._database = database
        self._numbers = numbers

    def _find(self, links: Sequence[bytes]) -> Sequence[Match]:
        def find(connection: SqlConnection) -> Sequence[Match]:
            for batch in deepest_first(links, _BATCHES):
                size = next(size for size in _BATCHES if size >= len(batch))
                padded = (*batch, *[batch[-1]] * (size - len(batch)))
                deepest = self._holders(connection, padded, "ORDER BY found.shared DESC LIMIT 1")
                if deepest:
                    if not deepest[0].left and deepest[0].shared < len(links):
                        return deepest
                    near = links[-_BATCHES[1] :]
                    return (*deepest, *self._holders(connection, near, "WHERE c.depth = found.shared"))
            return ()

        return self._database.read(find)

    def _holders(self, connection: SqlConnection, links: Sequence[bytes], which: str) -> list[Match]:
        """Return the conversations that sent these links last.

        Each link is looked up on its own. As long as Postgres knows nothing of a new table, it would read all links
        of a tenant for `link IN (...)`.
        """
        rows = connection.execute(
            f"WITH wanted(link) AS (VALUES {', '.join(['(?)'] * len(links))}), found AS (SELECT "
            "(SELECT conversation FROM links WHERE tenant = ? AND link = wanted.link) AS conversation, "
            "(SELECT depth FROM links WHERE tenant = ? AND link = wanted.link) AS shared FROM wanted) "
            "SELECT c.id, c.depth, c.requests, found.shared, "
            "EXISTS (SELECT 1 FROM asked a WHERE a.tenant = c.tenant AND a.conversation = c.id) "
            f"FROM found JOIN conversations c ON c.n = found.conversation {which}",
            (*links, self._tenant, self._tenant),
        )
        return [
            Match(id, depth, requests, shared, bool(commands)) for id, depth, requests, shared, commands in rows
        ]

    def _load(self, id: str) -> ConversationRecord | None:
        place = self._tenant, id
        rows, edits = self._database.snapshot(
            (
                f"SELECT n, {', '.join(ConversationRow._fields)} FROM conversations WHERE tenant = ? AND id = ?",
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

        def outdated() -> None:
            self._numbers.forget(place)
            if saving.follows:
                raise Overtaken(f"another process knows more of the conversation {saving.memo.id}")

        with self._database.together():
            self._database.change(
                lambda connection: self._write(connection, saving, known),
                write_name("conversation", *place),
                committed=kept,
                outdated=outdated,
            )
            also()

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
        self._write_links(connection, number, saving)
        # If the commit fails, the cached entry is harmless: no row has its stamp.
        self._remember_ledger(memo.id, stamp, memo.ledger)

    def _write_links(self, connection: SqlConnection, number: int, saving: Saving) -> None:
        """Write the new links; if the caller did not ask for the conversation, nobody may know them yet."""
        rows = [(self._tenant, link, number, depth) for depth, link in enumerate(saving.links, saving.first_depth)]
        if saving.follows:
            for row in rows:
                connection.require(_NEW_LINK, row)
            return
        for at in range(0, len(rows), _BATCHES[-1]):
            batch = rows[at : at + _BATCHES[-1]]
            places = ", ".join(["(?, ?, ?, ?)"] * len(batch))
            connection.execute(
                f"INSERT INTO links (tenant, link, conversation, depth) VALUES {places} "
                "ON CONFLICT (tenant, link) DO UPDATE SET conversation = excluded.conversation "
                "WHERE links.conversation != excluded.conversation",
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
