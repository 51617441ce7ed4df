"""The memory of a pruner in Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from secrets import randbits
from typing import Any, Final, TypeVar

from prunus.conversations.memory import ConversationRecord, Match, nothing_else
from prunus.conversations.warmth import EARLIER
from prunus.errors import FormatError, MayBeKept, NotKept, OutOfReach, Overtaken
from prunus.history import Ref
from prunus.reuse.experience import Experience
from prunus.reuse.learning import Learned
from prunus.schedule.cache_life import CacheLife, Hindsight, hindsight_of
from prunus.schedule.ledger import Ledger, Written
from prunus.schedule.plan import Account
from prunus.store.cipher import Cipher, WrongKey
from prunus.store.ledger_rows import KnownLedgers, ledger_change
from prunus.store.redis.connections import RedisConnections
from prunus.store.redis.experience import experience_with
from prunus.store.redis.keys import LINK_SIZE, TENANTS, TenantKeys
from prunus.store.redis.scripts import FIND, KEEP, LIVES, REFRESH
from prunus.store.store import CommitLost, StoreError

T = TypeVar("T")

_BATCHES: Final = (32, 512)
"""The links per round trip; the last number repeats."""


class RedisMemory:
    """The memory of one tenant; see `Store.memory`. Conversations expire after `seconds`."""

    def __init__(
        self,
        server: RedisConnections,
        tenant: str,
        seconds: int,
        cipher: Cipher,
        trouble: Callable[[StoreError], None] | None = None,
    ) -> None:
        self._server = server
        self._tenant = tenant
        self._keys = TenantKeys(tenant)
        self._seconds = seconds
        self._cipher = cipher
        self._trouble = trouble
        self._known = KnownLedgers()

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        """Return the conversations that a request with these links may continue."""
        return self._read(lambda: self._find(links))

    def load(self, id: str) -> ConversationRecord | None:
        """Return the last saved state of a conversation."""
        return self._read_encrypted(lambda: self._load(id), None)

    def written(self, id: str) -> Mapping[int, Written | None]:
        """Return the messages of a conversation that Prunus sent in changed form."""
        return self._read_encrypted(lambda: self._written(id), {})

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
    ) -> None:
        """Save a conversation, and then make further changes; a failure of those leaves the conversation saved."""
        kept = False
        try:
            self._keep(memo, links, written)
            kept = True
            also()
        except StoreError as error:
            if self._trouble is None:
                raise
            self._trouble(error)
            if not kept:
                reason = MayBeKept if isinstance(error, CommitLost) else NotKept
                raise reason("the store does not answer") from error

    def refresh(self, id: str, requests: int, time: float) -> bool:
        """Save the time of a keep-alive request; False if another request has come."""
        key = self._keys.of("conversation", id)
        try:
            return bool(self._server.call((REFRESH, [key], [requests, time]))[0])
        except StoreError as error:
            if self._trouble is None:
                raise
            self._trouble(error)
            return True

    def hindsight(self) -> Hindsight:
        """Return what other lives of the cache would have saved in the newest conversations."""
        values = [self._keys.of("conversation", ""), EARLIER]
        rows: list[bytes] = self._read(lambda: self._server.call((LIVES, [self._keys.lives], values))[0])
        return hindsight_of(rows)

    def experience(self, client: str) -> Experience:
        """Return what the cuts in all conversations of an agent led to; shadow runs do not count."""
        return self._read(lambda: experience_with(self._server, self._keys, client))

    def _read(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except StoreError as error:
            if self._trouble is None:
                raise
            self._trouble(error)
            raise OutOfReach("the store does not answer") from error

    def _read_encrypted(self, work: Callable[[], T], otherwise: T) -> T:
        """Read a value; what no key decrypts is as if it had been forgotten."""
        try:
            return self._read(work)
        except OutOfReach as error:
            if isinstance(error.__cause__, WrongKey):
                return otherwise
            raise

    def _find(self, links: Sequence[bytes]) -> Sequence[Match]:
        newest = True
        for batch in _deepest_first(links):
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
        [rows] = self._server.call((FIND, keys, [self._keys.of("conversation", "")]))
        found = [Match(id.decode(), depth, requests, shared) for _, shared, id, depth, requests in rows]
        return sorted(found, key=lambda match: -match.shared)

    def _load(self, id: str) -> ConversationRecord | None:
        [flat] = self._server.run(("HGETALL", self._keys.of("conversation", id)))
        row: dict[bytes, bytes] = dict(zip(flat[::2], flat[1::2], strict=True))
        if not row:
            return None
        edits = {_place(name): value for name, value in row.items() if name.startswith(b"e ")}
        try:
            rows = Ledger.load_all([self._decrypt(edits[place], id, _field(place)) for place in sorted(edits)])
            rest = self._decrypt(row[b"flushes"], id, "flushes")
            whole = Ledger.load(rest) if rest else Ledger()
            learned = Learned.load(row[b"learned"])
            life = CacheLife.load(row[b"life"], float(row[b"kept"]))
        except FormatError:
            # Another version of Prunus wrote this ledger. The conversation starts anew, which costs one cache miss.
            return None
        ledger = replace(whole, edits=rows.edits, tags=rows.tags)
        account = Account(float(row[b"whole"]), float(row[b"paid"]), int(row[b"tokens"]))
        depth, requests, seen = int(row[b"depth"]), int(row[b"requests"]), float(row[b"seen"])
        self._known.put(id, int(row[b"stamp"]), ledger)
        return ConversationRecord(id, ledger, depth, requests, seen, row[b"prompt"], account, learned, life)

    def _written(self, id: str) -> Mapping[int, Written | None]:
        [flat] = self._server.run(("HGETALL", self._keys.of("written", id)))
        found: dict[int, Written | None] = {}
        for index, value in zip(flat[::2], flat[1::2], strict=True):
            size = value[0]
            text = self._decrypt(value[1 + size :], id, f"written {int(index)}")
            found[int(index)] = Written(value[1 : 1 + size], text)
        return found

    def _keep(
        self, memo: ConversationRecord, links: Sequence[bytes], written: Mapping[int, Written | None]
    ) -> None:
        known = self._known.get(memo.id)
        reply = self._write(memo, links, written, known)
        if reply == b"stale":
            # The stored ledger is not the one that this process knows, so all of it is written.
            reply = self._write(memo, links, written, None)
        if reply == b"older":
            raise Overtaken(f"another process has saved a newer request of the conversation {memo.id}")

    def _write(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        known: tuple[int, Ledger] | None,
    ) -> bytes:
        id, keys = memo.id, self._keys
        stamp = known[0] if known is not None else 0
        fields: list[Any] = _state(memo)
        gone: list[str] = []
        if known is None or known[1] != memo.ledger:
            # The stamp is random, so a process that finds a different stamp knows that its cached ledger is stale.
            stamp = randbits(62)
            change = ledger_change(known[1] if known is not None else None, memo.ledger)
            fields += ["stamp", stamp]
            for place, row in change.rows.items():
                fields += [_field(place), self._encrypt(row.dump(), id, _field(place))]
            gone = [_field(place) for place in change.removed]
            if change.rest is not None:
                rest = b"" if change.rest == Ledger() else change.rest.dump()
                fields += ["flushes", self._encrypt(rest, id, "flushes")]
        texts: list[Any] = []
        for index, one in written.items():
            if one is not None:
                text = self._encrypt(one.text, id, f"written {index}")
                texts += [index, bytes((len(one.key),)) + one.key + text]
        whole_again = [index for index, one in written.items() if one is None]
        names: list[str | bytes] = [
            keys.of("conversation", id),
            keys.of("written", id),
            keys.of("links", id),
            keys.newest,
            keys.lives,
            TENANTS,
            *(keys.link(link) for link in links),
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
            memo.depth - len(links) + 1,
            LINK_SIZE,
            *(item for items in (fields, gone, texts, whole_again) for item in (len(items), *items)),
        ]
        [reply] = self._server.call((KEEP, names, values))
        if reply == b"kept":
            self._known.put(id, stamp, memo.ledger)
        return bytes(reply)

    def _encrypt(self, data: bytes, id: str, what: str) -> bytes:
        return self._cipher.encrypt(data, self._tenant, id, what)

    def _decrypt(self, data: bytes, id: str, what: str) -> bytes:
        return self._cipher.decrypt(data, self._tenant, id, what)


def _state(memo: ConversationRecord) -> list[Any]:
    """Return the fields of a conversation that change with every request."""
    whole, paid, tokens = astuple(memo.account)
    fields = {
        "requests": memo.requests,
        "depth": memo.depth,
        "seen": memo.seen,
        "prompt": memo.prompt,
        "learned": memo.learned.dump(),
        "life": memo.life.dump(),
        "kept": memo.life.kept,
        "whole": whole,
        "paid": paid,
        "tokens": tokens,
    }
    return [item for field in fields.items() for item in field]


def _field(place: Ref) -> str:
    """Return the field of the edit of one part."""
    return f"e {place.message} {place.part}"


def _place(field: bytes) -> Ref:
    message, part = field[2:].split()
    return Ref(int(message), int(part))


def _deepest_first(links: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Yield the links in batches, from the last link back to the first."""
    end, step = len(links), 0
    while end > 0:
        size = _BATCHES[min(step, len(_BATCHES) - 1)]
        yield links[max(0, end - size) : end]
        end, step = end - size, step + 1
