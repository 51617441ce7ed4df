"""The conversations of recorded files, as `prunus analyze` and `prunus replay` both count them.

A context that the agent compacted, or that outgrew its model's window, is a conversation of its own. A resumed
session begins with a copy of another one: what was sent once is counted once. Recordings that went on past the
limit, because their model's window was larger, go on in a new conversation that holds the opening messages and the
messages behind the cut.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Generic, TypeVar

from prunus.clients.sessions import Session, stream
from prunus.lab.pool import spread
from prunus.lab.progress import size_of
from prunus.lab.reading import Reader
from prunus.providers import provider_named
from prunus.schedule.prices import Price, price_of, with_ttl
from prunus.schedule.windows import window_of

Found = TypeVar("Found")

_MANY: Final = 20_000_000
"""Bytes of files from which on they are read by several workers."""
LIMIT: Final = 200_000
"""Tokens of a conversation's messages, unpruned."""
_WRITTEN: Final = re.compile(rb'"ephemeral_(5m|1h)_input_tokens"\s*:\s*(\d+)')
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class RecordedConversation:
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


def conversations(session: Session, limit: int = LIMIT) -> Iterator[Session]:
    """The session in pieces, none of whose requests holds more tokens; further ones are named `name/2`, ..."""
    reader = Reader(provider_named(session.format))
    opening = session.requests[0]
    tokens = [reader.sheet(message).tokens for message in session.messages]
    head = sum(tokens[:opening])
    start = first = 0
    held = head
    number = 1
    for request, end in enumerate(session.requests[1:], 1):
        new = sum(tokens[session.requests[request - 1] : end])
        if held + new > limit and request > first:
            yield _piece(session, first, request, start, number)
            start, first, number = session.requests[request - 1], request, number + 1
            held = head
        held += new
    yield _piece(session, first, len(session.requests), start, number)


def _piece(session: Session, first: int, last: int, start: int, number: int) -> Session:
    """The requests from `first` up to `last`, without the messages between the opening ones and `start`."""
    opening = session.requests[0]
    start = max(start, opening)
    end = session.requests[last] if last < len(session.requests) else len(session.messages)
    if first == 0 and last == len(session.requests):
        return session
    return replace(
        session,
        name=session.name if number == 1 else f"{session.name}/{number}",
        messages=session.messages[:opening] + session.messages[start:end],
        requests=tuple(max(n - start, 0) + opening for n in session.requests[first:last]),
        times=session.times[first:last],
    )


def recorded_lifetime(path: Path) -> str:
    """`1h` where most of what the provider cached was cached for an hour, else nothing.

    Some agents record what the provider billed: tokens written to a cache of five minutes, and tokens written
    to one of an hour, which costs twice an uncached token to write.
    """
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data.startswith(_GZIP) else data
    except (OSError, EOFError):
        return ""
    tokens = {b"5m": 0, b"1h": 0}
    for lifetime, count in _WRITTEN.findall(data):
        tokens[lifetime] += int(count)
    return "1h" if tokens[b"1h"] > tokens[b"5m"] else ""


def over_pieces(
    path: Path, work: Callable[[RecordedConversation], Found], known: Known | None = None, limit: int | None = None
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
                    found.append(work(RecordedConversation(piece, lifetime, copied)))
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
