"""What is in force in a conversation, and every break of its prompt cache that led there.

The ledger is the only memory that matters: the same history, settings and ledger give the same bytes. Losing it
costs a cache miss at most, because a conversation without one is pruned like a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any, Final, NamedTuple

import msgspec

from prunus.edits import Added, Edit, Gone, Input, Note, Replacement, Shorter
from prunus.errors import FormatError
from prunus.history import Ref

__all__ = ["Flush", "Ledger", "Tag", "Written"]

VERSION: Final = 1
_KINDS: Final = {"note": Note, "shorter": Shorter, "added": Added, "input": Input, "gone": Gone}


@dataclass(frozen=True, slots=True)
class Flush:
    """One declared break: from which message on the request changed, why, and at what price."""

    request: int
    """The request of the conversation, counted from 1."""
    time: float
    cut: int
    """The first message that left in another form than before."""
    reason: str
    saved: int
    """Tokens that went."""
    rewritten: int
    """Tokens behind the cut that had been cached and are written again."""


class Written(NamedTuple):
    """A message as it was sent with its edits."""

    key: bytes
    """Names the bytes of the message and what became of its parts; with another key it has to be rendered anew."""
    text: bytes


@dataclass(frozen=True, slots=True)
class Tag:
    """The id that is shown behind a result."""

    ref: Ref
    text: str
    added: bool
    """Prunus puts it there; otherwise the result came with it."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """All that is needed to write a request as it was sent before: no strategy has to look at it again."""

    edits: tuple[Edit, ...] = ()
    """The edits in force, in the order of their places."""
    flushes: tuple[Flush, ...] = ()
    commands: tuple[tuple[int, str], ...] = ()
    """What the user asked for outside of the conversation, and how many messages it had then."""
    tags: tuple[Tag, ...] = ()

    def before(self, count: int) -> Ledger:
        """What a conversation takes over that has the first `count` messages in common with this one."""
        return Ledger(
            tuple(edit for edit in self.edits if edit.last < count),
            (),
            tuple(command for command in self.commands if command[0] <= count),
            tuple(tag for tag in self.tags if tag.ref.message < count),
        )

    def dump(self) -> bytes:
        """As JSON, with its version."""
        edits = [{**asdict(edit), "replacement": _plain(edit.replacement)} for edit in self.edits]
        more = {"commands": self.commands, "tags": [astuple(tag) for tag in self.tags]}
        return msgspec.json.encode(
            {
                "version": VERSION,
                "edits": edits,
                "flushes": [asdict(flush) for flush in self.flushes],
                **{key: value for key, value in more.items() if value},
            }
        )

    @classmethod
    def load(cls, raw: bytes) -> Ledger:
        """Read what `dump` wrote."""
        return cls.load_all([raw])

    @classmethod
    def load_all(cls, raws: Sequence[bytes]) -> Ledger:
        """One ledger of several that were written apart."""
        try:
            dumps = _read(b"[%b]" % b",".join(raw or b"null" for raw in raws))
            return cls(
                tuple(_edit(row) for dump in dumps for row in dump.edits),
                tuple(flush for dump in dumps for flush in dump.flushes),
                tuple(command for dump in dumps for command in dump.commands),
                tuple(Tag(Ref(*place), text, added) for dump in dumps for place, text, added in dump.tags),
            )
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, KeyError, TypeError) as error:
            raise FormatError(f"not a ledger: {error}") from error


def _read(raw: bytes) -> list[_Dump]:
    try:
        dumps = msgspec.json.decode(raw, type=list[_Dump])
        versions = {dump.version for dump in dumps} - {VERSION}
    except msgspec.ValidationError:
        versions = {dump.version for dump in msgspec.json.decode(raw, type=list[_Versioned])} - {VERSION}
        if not versions:
            raise
    if versions:
        raise FormatError(f"a ledger of version {versions.pop()}; this Prunus reads version {VERSION}")
    return dumps


class _Versioned(msgspec.Struct, frozen=True):
    version: Any


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An edit as it is written down."""

    target: tuple[int, int]
    replacement: dict[str, Any]
    strategy: str
    reason: str
    by: tuple[int, int] | None
    ripe: int
    shows: tuple[int, int] | None
    spends: bool
    fresh: bool
    pressure: bool
    tokens_before: int
    tokens_after: int
    asked: bool = False
    loop: int = 0
    spares: tuple[tuple[int, int], ...] = ()
    bound: bool = False
    chance: float = 0.0
    stage: int = 0
    follows: str = ""


class _Dump(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    edits: list[_Row]
    flushes: list[Flush]
    commands: list[tuple[int, str]] = []
    tags: list[tuple[tuple[int, int], str, bool]] = []


def _plain(replacement: Replacement) -> dict[str, Any]:
    return {"kind": type(replacement).__name__.lower(), **asdict(replacement)}


def _edit(row: _Row) -> Edit:
    replacement: Replacement = msgspec.convert(row.replacement, _KINDS[row.replacement.pop("kind")])
    return Edit(
        Ref(*row.target),
        replacement,
        row.strategy,
        row.reason,
        None if row.by is None else Ref(*row.by),
        row.ripe,
        row.loop,
        None if row.shows is None else Ref(*row.shows),
        row.spends,
        row.fresh,
        row.pressure,
        row.asked,
        frozenset(Ref(*place) for place in row.spares),
        row.bound,
        row.chance,
        row.stage,
        row.tokens_before,
        row.tokens_after,
        row.follows,
    )
