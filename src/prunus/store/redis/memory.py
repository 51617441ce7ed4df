"""The memory of a pruner in Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from secrets import randbits
from typing import Any, Final, get_type_hints

from prunus.conversations.memory import ConversationRecord, Match
from prunus.conversations.warmth import EARLIER
from prunus.errors import Overtaken
from prunus.reuse.asked_again import Experience
from prunus.schedule.ledger import Ledger
from prunus.store.cipher import Cipher
from prunus.store.memory import STATE, ConversationRow, Saving, StoredMemory, deepest_first, edit_name, state_of
from prunus.store.redis.connections import RedisConnections
from prunus.store.redis.experience import experience_with
from prunus.store.redis.keys import LINK_SIZE, TENANTS, TenantKeys
from prunus.store.redis.scripts import FIND, KEEP, LIVES, REFRESH
from prunus.store.store import StoreError

_BATCHES: Final = (32, 512)
"""The links per round trip."""
_KINDS: Final = get_type_hints(ConversationRow)
"""The type of each field: int, float or bytes."""


class RedisMemory(StoredMemory):
    """The memory of one tenant. Conversations expire after `seconds`."""

    def __init__(
        self,
        server: RedisConnections,
        tenant: str,
        trouble: Callable[[StoreError], None] | None,
        cipher: Cipher,
        seconds: int,
    ) -> None:
        super().__init__(tenant, trouble, cipher, shared=True, checks=True)
        self._server = server
        self._keys = TenantKeys(tenant)
        self._seconds = seconds

    def _find(self, links: Sequence[bytes]) -> Sequence[Match]:
        newest = True
        for batch in deepest_first(links, _BATCHES):
            found = self._holders(batch)
            if found:
                deepest = found[0]
                if not deepest.left and deepest.shared < len(links):
                    return (deepest,)
                # Conversations that end at one of the newest links; the first batch has those.
                ends = [match for match in found if not match.left] if newest else []
                return (deepest, *ends)
            newest = False
        return ()

    def _holders(self, links: Sequence[bytes]) -> list[Match]:
        """Return the conversations that sent these links last, the deepest link first."""
        keys = [self._keys.link(link) for link in links]
        [rows] = self._server.call((FIND, keys, [self._keys.of("conversation", ""), self._keys.of("asked", "")]))
        found = [
            Match(id.decode(), depth, requests, shared, bool(commands))
            for id, depth, requests, shared, commands in rows
        ]
        return sorted(found, key=lambda match: -match.shared)

    def _load(self, id: str) -> ConversationRecord | None:
        [flat] = self._server.run(("HGETALL", self._keys.of("conversation", id)))
        row: dict[bytes, bytes] = dict(zip(flat[::2], flat[1::2], strict=True))
        return self._record_of(id, _row_of(row), sorted(_edits(row))) if row else None

    def _written(self, id: str) -> Iterable[tuple[int, bytes, bytes]]:
        [flat] = self._server.run(("HGETALL", self._keys.of("written", id)))
        for index, value in zip(flat[::2], flat[1::2], strict=True):
            text = 1 + value[0]
            yield int(index), value[1:text], value[text:]

    def _refresh(self, id: str, requests: int, time: float) -> bool:
        key = self._keys.of("conversation", id)
        return bool(self._server.call((REFRESH, [key], [requests, time]))[0])

    def _lives(self) -> Iterable[bytes]:
        values = [self._keys.of("conversation", ""), EARLIER]
        rows: list[bytes] = self._server.call((LIVES, [self._keys.lives], values))[0]
        return rows

    def _experience(self, client: str) -> Experience:
        return experience_with(self._server, self._keys, client)

    def _keep(self, saving: Saving, also: Callable[[], None], kept: Callable[[], None]) -> None:
        id = saving.memo.id
        reply = self._write(saving, self._known_ledger(id))
        if reply == b"stale":
            # The stored ledger is not the one that this process knows, so all of it is written.
            reply = self._write(saving, None)
        if reply == b"older":
            raise Overtaken(f"another process has saved a newer request of the conversation {id}")
        if reply == b"unexpected":
            raise Overtaken(f"another process knows more of the conversation {id}")
        kept()
        also()

    def _write(self, saving: Saving, known: tuple[int, Ledger] | None) -> bytes:
        memo, id, keys = saving.memo, saving.memo.id, self._keys
        stamp, ledger = known or (0, None)
        fields: list[Any] = [item for field in zip(STATE, state_of(memo), strict=True) for item in field]
        gone: list[str] = []
        if ledger is None or ledger != memo.ledger:
            stamp = randbits(62)
            change = self._ledger_change(id, ledger, memo.ledger)
            fields += ["stamp", stamp]
            for place, edit in change.rows.items():
                fields += [edit_name(*place), edit]
            gone = [edit_name(*place) for place in change.removed]
            if change.flushes is not None:
                fields += ["flushes", change.flushes]
        texts: list[Any] = []
        for index, key, text in self._sent_changed(saving):
            texts += [index, bytes((len(key),)) + key + text]
        names: list[str | bytes] = [
            keys.of("conversation", id),
            keys.of("written", id),
            keys.of("links", id),
            keys.newest,
            keys.lives,
            TENANTS,
            keys.of("asked", id),
            keys.link(saving.follows),
            *(keys.link(link) for link in saving.links),
        ]
        values = [
            "" if known is None else known[0],
            memo.requests,
            int(known is None),
            self._seconds,
            id,
            self._tenant,
            memo.seen,
            int(bool(memo.life.dump())),
            saving.first_depth,
            LINK_SIZE,
            int(bool(saving.follows)),
            *(item for items in (fields, gone, texts, saving.sent_as_they_came) for item in (len(items), *items)),
        ]
        [reply] = self._server.call((KEEP, names, values))
        if reply == b"kept":
            self._remember_ledger(id, stamp, memo.ledger)
        return bytes(reply)


def _row_of(row: Mapping[bytes, bytes]) -> ConversationRow:
    """Return the state of a conversation from the fields of its hash."""
    return ConversationRow(*(kind(row[name.encode()]) for name, kind in _KINDS.items()))


def _edits(row: Mapping[bytes, bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Yield message, part and encrypted edit of each field `e MESSAGE PART`."""
    for name, value in row.items():
        if name.startswith(b"e "):
            message, part = name[2:].split()
            yield int(message), int(part), value
