"""The memory of a pruner in a store: what a SQL database and Redis have in common.

A ledger is stored as rows, one for each changed part, so that a request writes only the edits that it changed.
Otherwise every new edit would encode a ledger of 500 edits again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, Final, NamedTuple, TypeVar
from weakref import ref

from prunus.conversations.memory import ConversationRecord, Match, Memory, Recalled, nothing_else
from prunus.errors import FormatError, MayBeKept, NotKept, OutOfReach
from prunus.history import Ref
from prunus.reuse.asked_again import Experience
from prunus.reuse.learning import Learned
from prunus.schedule.cache_life import CacheLife, Hindsight, hindsight_of
from prunus.schedule.ledger import Ledger, Written
from prunus.schedule.plan import Account
from prunus.store.cipher import Cipher, WrongKey
from prunus.store.recent import Recent
from prunus.store.store import CommitLost, StoreError

T = TypeVar("T")

_LEDGERS: Final = 4096
"""The number of conversations whose ledgers are known."""


class ConversationRow(NamedTuple):
    """The stored state of a conversation without its edits; the names are columns in SQL, and fields in Redis."""

    stamp: int
    """A random number that changes with the ledger. Who finds another one knows that its own ledger is stale."""
    flushes: bytes
    """Flushes and commands of the ledger, encrypted."""
    requests: int
    depth: int
    seen: float
    prompt: bytes
    learned: bytes
    life: bytes
    kept: float
    whole: float
    paid: float
    tokens: int


ROW: Final = ConversationRow._fields
STATE: Final = ROW[2:]
"""The columns that change with every request, whatever becomes of the ledger."""


class Saving(NamedTuple):
    """What `Memory.keep` is to save."""

    memo: ConversationRecord
    links: Sequence[bytes]
    written: Mapping[int, Written | None]
    follows: bytes = b""

    @property
    def first_depth(self) -> int:
        """The depth of the first link."""
        return self.memo.depth - len(self.links) + 1

    @property
    def is_plain_beginning(self) -> bool:
        """Whether this is the first request of a conversation, and nothing of it was cut."""
        ledger = self.memo.ledger
        return self.memo.requests == 1 and not (ledger.edits or ledger.tags or self.written)

    @property
    def sent_as_they_came(self) -> list[int]:
        """The messages that were sent in changed form before, and are not any more."""
        return [index for index, one in self.written.items() if one is None]


@dataclass(frozen=True, slots=True)
class LedgerChange:
    """How the rows of a stored ledger have to change."""

    removed: frozenset[Ref] = frozenset()
    rows: Mapping[Ref, bytes] = field(default_factory=dict)
    """The rows to write, encrypted; each is a ledger with the edit and the tag of one part."""
    flushes: bytes | None = None
    """See `ConversationRow`; None if they did not change."""


class StoredMemory(Memory, ABC):
    """The memory of one tenant; `Memory` documents the methods, and `Store.memory` what becomes of errors."""

    def __init__(
        self,
        tenant: str,
        trouble: Callable[[StoreError], None] | None,
        cipher: Cipher,
        *,
        shared: bool,
        checks: bool,
    ) -> None:
        self._tenant = tenant
        self._trouble = trouble
        self._cipher = cipher
        self.checks = checks
        self._shared = shared
        """Whether several processes share the store, so that others may use it while this one cannot."""
        self._ledgers: Recent[str, tuple[int, ref[Ledger]]] = Recent(_LEDGERS)

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        return self._read(lambda: self._find(links), ())

    def recall(self, links: Sequence[bytes], client: str) -> Recalled:
        return self._read(lambda: self._recall(links, client), Recalled())

    def load(self, id: str) -> ConversationRecord | None:
        return self._read(lambda: self._load(id), None)

    def written(self, id: str) -> Mapping[int, Written | None]:
        def read() -> dict[int, Written | None]:
            rows = self._written(id)
            return {at: Written(key, self._decrypt(text, id, f"written {at}")) for at, key, text in rows}

        return self._read(read, {})

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
        follows: bytes = b"",
    ) -> None:
        kept = Event()
        try:
            self._keep(Saving(memo, links, written, follows), also, kept.set)
        except StoreError as error:
            self._report(error)
            if self._shared and not kept.is_set():
                reason = MayBeKept if isinstance(error, CommitLost) else NotKept
                raise reason("the store does not answer") from error

    def refresh(self, id: str, requests: int, time: float) -> bool:
        try:
            return self._refresh(id, requests, time)
        except StoreError as error:
            self._report(error)
            return True

    def hindsight(self) -> Hindsight:
        return hindsight_of(self._read(self._lives, ()))

    def experience(self, client: str) -> Experience:
        return self._read(lambda: self._experience(client), Experience())

    @abstractmethod
    def _find(self, links: Sequence[bytes]) -> Sequence[Match]: ...

    def _recall(self, links: Sequence[bytes], client: str) -> Recalled:
        return Recalled(self._find(links))

    @abstractmethod
    def _load(self, id: str) -> ConversationRecord | None: ...

    @abstractmethod
    def _written(self, id: str) -> Iterable[tuple[int, bytes, bytes]]:
        """Return each message that was sent in changed form: its index, its key, and its encrypted text."""

    @abstractmethod
    def _keep(self, saving: Saving, also: Callable[[], None], kept: Callable[[], None]) -> None:
        """Save a conversation and make further changes; call `kept` once the conversation is saved."""

    @abstractmethod
    def _refresh(self, id: str, requests: int, time: float) -> bool: ...

    @abstractmethod
    def _lives(self) -> Iterable[bytes]: ...

    @abstractmethod
    def _experience(self, client: str) -> Experience: ...

    def _read(self, work: Callable[[], T], otherwise: T) -> T:
        """Return what a callback reads. What no key decrypts is as if it had been forgotten."""
        try:
            return work()
        except StoreError as error:
            self._report(error)
            if self._shared and not isinstance(error, WrongKey):
                raise OutOfReach("the store does not answer") from error
            return otherwise

    def _report(self, error: StoreError) -> None:
        """Pass an error to the caller's callback; without one, raise it."""
        if self._trouble is None:
            raise error
        self._trouble(error)

    def _record_of(
        self, id: str, row: ConversationRow, edits: Iterable[tuple[int, int, bytes]]
    ) -> ConversationRecord | None:
        """Return a conversation from its row and its edits: message, part and encrypted edit."""
        try:
            rows = Ledger.load_all([self._decrypt(raw, id, edit_name(at, part)) for at, part, raw in edits])
            rest = Ledger.load(self._decrypt(row.flushes, id, "flushes")) if row.flushes else Ledger()
            learned, life = Learned.load(row.learned), CacheLife.load(row.life, row.kept)
        except FormatError:
            # Another version of Prunus wrote this ledger. The conversation starts anew, which costs one cache miss.
            return None
        ledger = replace(rest, edits=rows.edits, tags=rows.tags)
        self._remember_ledger(id, row.stamp, ledger)
        account = Account(row.whole, row.paid, row.tokens)
        return ConversationRecord(id, ledger, row.depth, row.requests, row.seen, row.prompt, account, learned, life)

    def _known_ledger(self, id: str) -> tuple[int, Ledger] | None:
        """Return the ledger that this process has read or written last, and its stamp in the store.

        It is known as long as somebody uses it: the pruner does while it holds the conversation.
        """
        known = self._ledgers.get(id)
        ledger = known[1]() if known is not None else None
        return None if known is None or ledger is None else (known[0], ledger)

    def _remember_ledger(self, id: str, stamp: int, ledger: Ledger) -> None:
        self._ledgers.put(id, (stamp, ref(ledger)))

    def _ledger_change(self, id: str, stored: Ledger | None, now: Ledger) -> LedgerChange:
        """Return what has to be written; the whole ledger if the stored one is unknown."""
        places = _changed_places(stored or Ledger(), now)
        before, after = _rows(stored or Ledger(), places), _rows(now, places)
        rows = {
            place: self._encrypt(row.dump(), id, edit_name(*place))
            for place, row in after.items()
            if before.get(place) != row
        }
        rest = Ledger(flushes=now.flushes, commands=now.commands)
        flushes = None
        if stored is None or (stored.flushes, stored.commands) != (rest.flushes, rest.commands):
            flushes = b"" if rest == Ledger() else self._encrypt(rest.dump(), id, "flushes")
        return LedgerChange(frozenset(before.keys() - after.keys()), rows, flushes)

    def _sent_changed(self, saving: Saving) -> list[tuple[int, bytes, bytes]]:
        """Return the messages to write, as `_written` returns them."""
        return [
            (index, one.key, self._encrypt(one.text, saving.memo.id, f"written {index}"))
            for index, one in saving.written.items()
            if one is not None
        ]

    def _encrypt(self, data: bytes, id: str, what: str) -> bytes:
        return self._cipher.encrypt(data, self._tenant, id, what)

    def _decrypt(self, data: bytes, id: str, what: str) -> bytes:
        return self._cipher.decrypt(data, self._tenant, id, what)


def state_of(memo: ConversationRecord) -> tuple[Any, ...]:
    """Return the values of `STATE`."""
    life, account = memo.life, memo.account
    return (
        memo.requests, memo.depth, memo.seen, memo.prompt, memo.learned.dump(), life.dump(), life.kept,
        account.whole, account.paid, account.tokens,
    )  # fmt: skip


def edit_name(message: int, part: int) -> str:
    """Return the name of the edit of one part."""
    return f"e {message} {part}"


def deepest_first(links: Sequence[bytes], sizes: Sequence[int]) -> Iterator[Sequence[bytes]]:
    """Yield the links in batches of these sizes, from the last link back to the first; the last size repeats."""
    end, step = len(links), 0
    while end > 0:
        size = sizes[min(step, len(sizes) - 1)]
        yield links[max(0, end - size) : end]
        end, step = end - size, step + 1


def _changed_places(before: Ledger, now: Ledger) -> set[Ref]:
    """Return the places where two ledgers may differ; edits and tags in both are mostly identical objects."""
    old, new = ({id(one) for one in (*ledger.edits, *ledger.tags)} for ledger in (before, now))
    edits = {edit.target for edit in (*before.edits, *now.edits) if (id(edit) in old) != (id(edit) in new)}
    return edits | {tag.ref for tag in (*before.tags, *now.tags) if (id(tag) in old) != (id(tag) in new)}


def _rows(ledger: Ledger, places: set[Ref]) -> dict[Ref, Ledger]:
    """Return one ledger per place, with the edit and the tag of that part; each becomes one row."""
    rows = {edit.target: Ledger((edit,)) for edit in ledger.edits if edit.target in places}
    for tag in ledger.tags:
        if tag.ref in places:
            rows[tag.ref] = replace(rows.get(tag.ref, Ledger()), tags=(tag,))
    return rows
