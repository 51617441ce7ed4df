"""The conversations of recorded files, as `prunus analyze` and `prunus replay` both count them.

A context that the agent compacted, or that outgrew its model's window, is a conversation of its own. A resumed
session begins with a copy of another one: what was sent once is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from prunus.clients.sessions import Session, stream
from prunus.lab.conversations import conversations
from prunus.lab.lifetime import recorded_lifetime
from prunus.lab.pool import spread
from prunus.lab.progress import size_of
from prunus.schedule.prices import Price, price_of, with_ttl
from prunus.schedule.windows import window_of

Found = TypeVar("Found")

_MANY: Final = 20_000_000
"""Bytes of files from which on they are read by several workers."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One conversation of a file."""

    session: Session
    lifetime: str = ""
    """How long its cache lived, as in `cache_control.ttl`, where the recording tells."""
    copied: int = 0
    """Requests at its beginning that another file holds too."""

    @property
    def price(self) -> Price:
        """What the prompt cache of its own model costs."""
        return with_ttl(price_of(self.session.model), self.lifetime)

    @property
    def window(self) -> int:
        """The tokens that its model can take."""
        return window_of(self.session.model)


@dataclass(frozen=True, slots=True)
class Repeat:
    """How many requests a recorded session has, and how many of them older files hold too."""

    requests: int
    copied: int = 0


Known = Mapping[str, Sequence[Repeat]]
"""For each file, each of its sessions."""


@dataclass(frozen=True, slots=True)
class Read(Generic[Found]):
    """What was found in the conversations of one file."""

    found: tuple[Found, ...]
    skipped: int = 0
    """Damaged records in it."""
    copies: int = 0
    """Sessions in it that are whole in another file."""
    failure: str = ""
    """Why the file, or the rest of it, could not be read."""


def repeats(paths: Sequence[Path], *, workers: int = 2) -> Known:
    """Which requests of which sessions stand in an older file too."""
    # A copy is newer than what it was copied from.
    oldest_first = sorted(paths, key=lambda path: path.stat().st_mtime if path.exists() else 0.0)
    # Starting workers takes longer than reading a few files.
    readers = workers if sum(map(size_of, paths)) > _MANY else 1
    keys = zip(oldest_first, spread(_keys, oldest_first, workers=readers, quiet=True), strict=True)
    met: set[str] = set()
    known: dict[str, list[Repeat]] = {}
    for path, sessions in keys:
        known[str(path)] = []
        for requests in sessions:
            copied = next((i for i, key in enumerate(requests) if key not in met), len(requests))
            known[str(path)].append(Repeat(len(requests), copied))
            met.update(requests)
    return known


def over_pieces(
    path: Path, work: Callable[[Piece], Found], known: Known | None = None, limit: int | None = None
) -> Read[Found]:
    """Do some work on each conversation of a file; what was read before the file turned out to be broken counts.

    Conversations are cut at `limit` tokens, or else where their own model's window ends. Without `known`, nothing
    counts as a copy.
    """
    found: list[Found] = []
    skipped = copies = 0
    repeated = (known or {}).get(str(path), ())
    lifetime = recorded_lifetime(path)
    failure = ""
    try:
        for number, session in enumerate(stream(path)):
            skipped += session.skipped
            copied = repeated[number].copied if number < len(repeated) else 0
            copies += copied == len(session.requests)
            for piece in conversations(session, limit or window_of(session.model)):
                if copied < len(piece.requests):
                    found.append(work(Piece(piece, lifetime, copied)))
                copied = max(0, copied - len(piece.requests))
    except OSError as error:
        failure = f"{path}: {(error.strerror or str(error)).lower()}"
    except Exception as error:  # whatever is wrong with a file, the others are still measured
        failure = str(error) if str(error).startswith(str(path)) else f"{path}: {type(error).__name__}: {error}"
    return Read(tuple(found), skipped, copies, failure)


def _keys(path: Path) -> list[tuple[str, ...]]:
    """What each request of each session is known by; as far as the file can be read."""
    found: list[tuple[str, ...]] = []
    try:
        found.extend(session.keys() for session in stream(path))
    except Exception:  # it will be said when the file is measured
        return found
    return found
