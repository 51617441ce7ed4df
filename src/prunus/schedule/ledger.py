"""The edits in force in a conversation, and every cache break that made them.

The same history, settings and ledger always give the same bytes. Losing a ledger costs a cache miss at most,
because a conversation without one is pruned like a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, asdict, astuple, dataclass, fields
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec

from prunus.edits import Added, Gone, Input, Note, Proposal, Shorter
from prunus.errors import FormatError
from prunus.history import Ref

VERSION: Final = 2
_READ: Final = (1, VERSION)
_KINDS: Final[dict[str, Any]] = {"note": Note, "shorter": Shorter, "added": Added, "input": Input, "gone": Gone}


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


@dataclass(frozen=True, slots=True, weakref_slot=True)
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


_HINTS: Final = {**get_type_hints(Proposal), "replacement": dict[str, Any]}
_DEFAULTS: Final = {field.name: field.default for field in fields(Proposal)}
_COLUMNS: Final = [
    (name, _HINTS[name]) if default is MISSING else (name, _HINTS[name], default)
    for name, default in _DEFAULTS.items()
]
_Row: Final = msgspec.defstruct("_Row", _COLUMNS, frozen=True, forbid_unknown_fields=True)
"""A proposal as it is written down: fields that have their default are left out."""
_ROWS: Final = msgspec.json.Decoder(list[_Row])  # type: ignore[valid-type]
_ROWS_V1: Final = msgspec.json.Decoder(list[dict[str, Any]])
_NAMES_V1: Final = {
    "by": "cause", "shows": "points_to", "spends": "ends_call", "bound": "needs_cover", "spares": "covers",
    "chance": "reuse", "stage": "preference",
}  # fmt: skip
"""The names that fields had in version 1."""


def _row(edit: Proposal) -> dict[str, Any]:
    kept = {name: value for name in _DEFAULTS if (value := getattr(edit, name)) != _DEFAULTS[name]}
    plain = {"kind": type(edit.replacement).__name__.lower(), **asdict(edit.replacement)}
    return kept | {"replacement": plain}


def _edits(dump: _Dump) -> list[Proposal]:
    if dump.version == VERSION:
        rows = _ROWS.decode(dump.edits)
    else:
        rows = msgspec.convert(list(map(_from_version_1, _ROWS_V1.decode(dump.edits))), list[_Row])  # type: ignore[valid-type]
    return list(map(_proposal, rows))


def _from_version_1(row: dict[str, Any]) -> dict[str, Any]:
    """Return an edit as version 1 wrote it down under the names of today."""
    fresh, requested_by = row.pop("fresh"), None
    if row.pop("asked", False):
        requested_by = "prunus" if fresh else "user" if row["by"] is None else "agent"
    when = {
        "from_turn": row.pop("ripe"),
        "from_loop": row.pop("loop", 0),
        "before_first_send": fresh,
        "under_pressure": row.pop("pressure"),
        "requested_by": requested_by,
    }
    renamed = {_NAMES_V1.get(name, name): value for name, value in row.items()}
    return renamed | {"when": when, "only_code": row["strategy"] == "old_code_blocks"}


def _proposal(row: Any) -> Proposal:
    target, plain, *others = msgspec.structs.astuple(row)
    return Proposal(target, msgspec.convert(plain, _KINDS[plain.pop("kind")]), *others)
