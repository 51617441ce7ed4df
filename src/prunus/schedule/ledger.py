"""The edits in force in a conversation, and every cache break that made them.

The same history, settings and ledger always give the same bytes. Losing a ledger costs a cache miss at most,
because a conversation without one is pruned like a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import Any, Final, NamedTuple

import msgspec

from prunus.edits import NOW, Added, Gone, Input, Note, Proposal, Replacement, Shorter, When
from prunus.errors import FormatError
from prunus.history import Ref

VERSION: Final = 2
_READ: Final = (1, VERSION)
_KINDS: Final = {"note": Note, "shorter": Shorter, "added": Added, "input": Input, "gone": Gone}


@dataclass(frozen=True, slots=True)
class Flush:
    """One declared cache break: the message from which on the request changed, the reason, and the price."""

    request: int
    """The number of the request in its conversation, counted from 1."""
    time: float
    cut: int
    """The first message that was sent in another form than before."""
    reason: str
    saved: int
    """Tokens that the flush removed."""
    rewritten: int
    """Tokens behind the cut that had been cached and are written again."""


class Written(NamedTuple):
    """A message as it was sent with its edits."""

    key: bytes
    """Identifies the bytes of the message and the replacements of its parts; under another key it is rendered
    again."""
    text: bytes


@dataclass(frozen=True, slots=True)
class Tag:
    """The id that is shown behind a result."""

    ref: Ref
    text: str
    added: bool
    """Whether Prunus puts it there; otherwise the result came with it."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Everything that is needed to write a request as it was sent before, without running a strategy."""

    edits: tuple[Proposal, ...] = ()
    """The edits in force, in the order of their places."""
    flushes: tuple[Flush, ...] = ()
    commands: tuple[tuple[int, str], ...] = ()
    """Commands that the user gave outside of the conversation, each with the number of messages at that time."""
    tags: tuple[Tag, ...] = ()

    def before(self, count: int) -> Ledger:
        """Return the part of the ledger for a conversation that shares the first `count` messages with this one."""
        return Ledger(
            tuple(edit for edit in self.edits if edit.last_message < count),
            (),
            tuple(command for command in self.commands if command[0] <= count),
            tuple(tag for tag in self.tags if tag.ref.message < count),
        )

    def dump(self) -> bytes:
        """Return the ledger as JSON, with its version."""
        more = {"commands": self.commands, "tags": [astuple(tag) for tag in self.tags]}
        return msgspec.json.encode(
            {
                "version": VERSION,
                "edits": [_row(edit) for edit in self.edits],
                "flushes": [asdict(flush) for flush in self.flushes],
                **{key: value for key, value in more.items() if value},
            }
        )

    @classmethod
    def load(cls, raw: bytes) -> Ledger:
        """Read the JSON that `dump` wrote, in this version or in version 1."""
        return cls.load_all([raw])

    @classmethod
    def load_all(cls, raws: Sequence[bytes]) -> Ledger:
        """Read one ledger from several JSON texts."""
        try:
            dumps = _read(b"[%b]" % b",".join(raw or b"null" for raw in raws))
            return cls(
                tuple(edit for dump in dumps for edit in _edits(dump)),
                tuple(flush for dump in dumps for flush in dump.flushes),
                tuple(command for dump in dumps for command in dump.commands),
                tuple(Tag(Ref(*place), text, added) for dump in dumps for place, text, added in dump.tags),
            )
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, KeyError, TypeError) as error:
            raise FormatError(f"not a ledger: {error}") from error


class _Dump(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    edits: msgspec.Raw
    flushes: list[Flush]
    commands: list[tuple[int, str]] = []
    tags: list[tuple[tuple[int, int], str, bool]] = []


class _Versioned(msgspec.Struct, frozen=True):
    version: Any


def _read(raw: bytes) -> list[_Dump]:
    try:
        dumps = msgspec.json.decode(raw, type=list[_Dump])
        versions = {dump.version for dump in dumps}.difference(_READ)
    except msgspec.ValidationError:
        found = msgspec.json.decode(raw, type=list[_Versioned])
        versions = {dump.version for dump in found}.difference(_READ)
        if not versions:
            raise
    if versions:
        raise FormatError(f"a ledger of version {versions.pop()}; this Prunus reads version {VERSION}")
    return dumps


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A proposal as JSON; fields with their default value are left out."""

    target: Ref
    replacement: dict[str, Any]
    strategy: str
    reason: str
    tokens_before: int = 0
    tokens_after: int = 0
    follows: str = ""
    when: When = NOW
    cause: Ref | None = None
    ends_call: bool = False
    points_to: Ref | None = None
    needs_cover: bool = False
    covers: frozenset[Ref] = frozenset()
    reuse: float = 0.0
    only_code: bool = False
    preference: int = 0

    def proposal(self) -> Proposal:
        return Proposal(
            self.target,
            _replacement(self.replacement),
            self.strategy,
            self.reason,
            self.tokens_before,
            self.tokens_after,
            self.follows,
            self.when,
            self.cause,
            self.ends_call,
            self.points_to,
            self.needs_cover,
            self.covers,
            self.reuse,
            self.only_code,
            self.preference,
        )


class _RowV1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An edit as JSON of version 1."""

    target: Ref
    replacement: dict[str, Any]
    strategy: str
    reason: str
    by: Ref | None
    ripe: int
    shows: Ref | None
    spends: bool
    fresh: bool
    pressure: bool
    tokens_before: int
    tokens_after: int
    asked: bool = False
    loop: int = 0
    spares: frozenset[Ref] = frozenset()
    bound: bool = False
    chance: float = 0.0
    stage: int = 0
    follows: str = ""

    def proposal(self) -> Proposal:
        requested_by: Any = None
        if self.asked:
            requested_by = "prunus" if self.fresh else "user" if self.by is None else "agent"
        return Proposal(
            self.target,
            _replacement(self.replacement),
            self.strategy,
            self.reason,
            self.tokens_before,
            self.tokens_after,
            self.follows,
            When(self.ripe, self.loop, self.fresh, self.pressure, requested_by),
            self.by,
            self.spends,
            self.shows,
            self.bound,
            self.spares,
            self.chance,
            self.strategy == "old_code_blocks",
            self.stage,
        )


_DEFAULTS: Final = {field.name: field.default for field in fields(Proposal)}


def _row(edit: Proposal) -> dict[str, Any]:
    kept = {name: value for name in _DEFAULTS if (value := getattr(edit, name)) != _DEFAULTS[name]}
    plain = {"kind": type(edit.replacement).__name__.lower(), **asdict(edit.replacement)}
    return kept | {"replacement": plain}


_ROWS: Final = msgspec.json.Decoder(list[_Row])
_ROWS_V1: Final = msgspec.json.Decoder(list[_RowV1])


def _edits(dump: _Dump) -> list[Proposal]:
    if dump.version == VERSION:
        return [row.proposal() for row in _ROWS.decode(dump.edits)]
    return [row.proposal() for row in _ROWS_V1.decode(dump.edits)]


def _replacement(plain: dict[str, Any]) -> Replacement:
    kind = _KINDS[plain.pop("kind")]
    found: Replacement = msgspec.convert(plain, kind)
    return found
