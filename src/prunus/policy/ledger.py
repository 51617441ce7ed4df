"""What is in force in a conversation, and every break of its prompt cache that led there.

The ledger is the only memory that matters: the same history, settings and ledger give the same bytes. Losing it
costs a cache miss at most, because a conversation without one is pruned like a new one.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import msgspec

from prunus.edits import Edit, Gone, Input, Note, Replacement, Shorter
from prunus.errors import FormatError
from prunus.history import Ref

__all__ = ["Flush", "Ledger"]

VERSION: Final = 1
_KINDS: Final = {"note": Note, "shorter": Shorter, "input": Input, "gone": Gone}


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


@dataclass(frozen=True, slots=True)
class Ledger:
    """The edits in force and the flushes so far."""

    edits: tuple[Edit, ...] = ()
    flushes: tuple[Flush, ...] = ()

    def dump(self) -> bytes:
        """As JSON, with its version."""
        edits = [{**asdict(edit), "replacement": _plain(edit.replacement)} for edit in self.edits]
        return msgspec.json.encode(
            {"version": VERSION, "edits": edits, "flushes": [asdict(flush) for flush in self.flushes]}
        )

    @classmethod
    def load(cls, raw: bytes) -> Ledger:
        """Read what `dump` wrote."""
        try:
            data = msgspec.json.decode(raw)
            if data["version"] != VERSION:
                raise FormatError(f"a ledger of version {data['version']}; this Prunus reads version {VERSION}")
            return cls(tuple(map(_edit, data["edits"])), tuple(Flush(**flush) for flush in data["flushes"]))
        except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
            raise FormatError(f"not a ledger: {error}") from error


def _plain(replacement: Replacement) -> dict[str, Any]:
    return {"kind": type(replacement).__name__.lower(), **asdict(replacement)}


def _edit(data: dict[str, Any]) -> Edit:
    kind = _KINDS[data["replacement"].pop("kind")]
    places = {key: None if data[key] is None else Ref(*data[key]) for key in ("target", "by", "shows")}
    return Edit(**{**data, **places, "replacement": kind(**data["replacement"])})
