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
from prunus.store.memory import STATE, ConversationRow, Saving, StoredMemory, deepest_first, state_of
from prunus.store.sql.cuts import experiences
from prunus.store.sql.database import SqlConnection, SqlDatabase, write_name
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
_UPDATE: Final = (
    "UPDATE conversations SET last = ?, stamp = ?, flushes = coalesce(?, flushes), "
    f"{', '.join(f'{name} = ?' for name in STATE)} WHERE n = ?"
)


class SqlMemory(StoredMemory):
    """The memory of one tenant."""

    def __init__(
        self, database: SqlDatabase, tenant: str, trouble: Callable[[StoreError], None] | None, cipher: Cipher
    ) -> None:
        super().__init__(tenant, trouble, cipher, shared=database.shared)
        self._database = database

    def _find(self, links: Sequence[bytes]) -> Sequence[Match]:
        def find(connection: SqlConnection) -> Sequence[Match]:
            for batch in deepest_first(links, _BATCHES):
                size = next(size for size in _BATCHES if size >= len(batch))
                padded = (*batch, *[batch[-1]] * (size - len(batch)))
                deepest = self._holders(connection, padded, "ORDER BY l.depth DESC LIMIT 1")
                if deepest:
                    if not deepest[0].left and deepest[0].shared < len(links):
                        return deepest
                    near = links[-_BATCHES[1] :]
                    return (*deepest, *self._holders(connection, near, "AND c.depth = l.depth"))
            return ()

        return self._database.read(find)

    def _holders(self, connection: SqlConnection, links: Sequence[bytes], which: str) -> list[Match]:
        """Return the conversations that sent these links last."""
        rows = connection.execute(
            "SELECT c.id, c.depth, c.requests, l.depth, "
            "EXISTS (SELECT 1 FROM asked a WHERE a.tenant = c.tenant AND a.conversation = c.id) "
            "FROM links l JOIN conversations c ON c.n = l.conversation "
            f"WHERE l.tenant = ? AND l.link IN ({','.join('?' * len(links))}) {which}",
            (self._tenant, *links),
        )
        return [
            Match(id, depth, requests, shared, bool(commands)) for id, depth, requests, shared, commands in rows
        ]

    def _load(self, id: str) -> ConversationRecord | None:
        place = self._tenant, id
        rows, edits = self._database.snapshot(
            (f"SELECT {', '.join(ConversationRow._fields)} FROM conversations WHERE tenant = ? AND id = ?", place),
            (f"SELECT x.message, x.part, x.edit FROM edits x {_OWN}", place),
        )
        return self._record_of(id, ConversationRow(*rows[0]), edits) if rows else None

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
        id = saving.memo.id
        known = self._known.get(id)
        with self._database.together():
            self._database.change(
                lambda connection: self._write(connection, saving, known),
                write_name("conversation", self._tenant, id),
                committed=kept,
            )
            also()

    def _write(self, connection: SqlConnection, saving: Saving, known: tuple[int, Ledger] | None) -> None:
        memo = saving.memo
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
            stamp = randbits(62)
            flushes = self._write_edits(connection, number, memo, before)
        self._write_messages(connection, number, saving)
        connection.execute(_UPDATE, (max(last, memo.seen), stamp, flushes, *state_of(memo), number))
        connection.executemany(
            "INSERT INTO links (tenant, link, conversation, depth) VALUES (?, ?, ?, ?) ON CONFLICT (tenant, link) "
            "DO UPDATE SET conversation = excluded.conversation WHERE links.conversation != excluded.conversation",
            ((self._tenant, link, number, depth) for depth, link in enumerate(saving.links, saving.first_depth)),
        )
        # If the commit fails, the cached entry is harmless: no row has its stamp.
        self._known.put(memo.id, int(stamp), memo.ledger)

    def _write_edits(
        self, connection: SqlConnection, number: int, memo: ConversationRecord, stored: Ledger | None
    ) -> bytes | None:
        """Write the edits that differ from the stored ledger, or all of them if the stored one is unknown.

        Returns the flushes for the row of the conversation; None if they did not change.
        """
        if stored is None:
            connection.execute("DELETE FROM edits WHERE conversation = ?", (number,))
        change = self._ledger_change(memo.id, stored, memo.ledger)
        connection.executemany(
            "DELETE FROM edits WHERE conversation = ? AND message = ? AND part = ?",
            ((number, *place) for place in change.removed),
        )
        connection.executemany(
            "INSERT INTO edits (conversation, message, part, edit) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (conversation, message, part) DO UPDATE SET edit = excluded.edit",
            ((number, *place, edit) for place, edit in change.rows.items()),
        )
        return change.flushes

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


def begin(connection: SqlConnection, tenant: str, id: str, time: float) -> int:
    """Insert a conversation, and return its row number."""
    [[number]] = connection.execute(
        "INSERT INTO conversations (tenant, id, first, last) VALUES (?, ?, ?, ?) RETURNING n",
        (tenant, id, time, time),
    ).fetchall()
    return int(number)
