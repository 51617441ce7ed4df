"""Read the conversations of recorded files; `prunus analyze` and `prunus replay` both count this way.

A new conversation starts when the agent compacts the context, or when the context outgrows the model's window. A
resumed session begins with a copy of another session; such requests count once. If a recording exceeds the limit,
because its model's window was larger, it continues in a new conversation with the opening messages and the messages
behind the cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Generic, TypeVar

from prunus.clients.sessions import Session
from prunus.corpus.find import changed_at, parts, size_of
from prunus.corpus.source import Source
from prunus.errors import FormatError
from prunus.lab.pool import spread
from prunus.lab.replay import Reader
from prunus.providers import provider_named
from prunus.schedule.prices import Price, price_of, window_of, with_ttl
from prunus.text.printable import whole_text

R = TypeVar("R")

_MANY: Final = 20_000_000
"""Several workers read the files if these have more bytes than this."""
LIMIT: Final = 200_000
"""The most tokens of a conversation's messages before pruning."""
_WRITTEN: Final = re.compile(rb'"ephemeral_(5m|1h)_input_tokens"\s*:\s*(\d+)')
_SAID: Final = 5
"""The most failures of one file that are told in full."""


@dataclass(frozen=True, slots=True)
class RecordedConversation:
    """One conversation of a file."""

    session: Session
    lifetime: str = ""
    """The lifetime of its prompt cache, as in `cache_control.ttl`; empty if the recording does not say."""
    copied: int = 0
    """The number of requests at its beginning that another file contains too."""

    @property
    def price(self) -> Price:
        """The prompt cache prices of its own model."""
        return with_ttl(price_of(self.session.model), self.lifetime)

    @property
    def window(self) -> int:
        """The context window of its model in tokens."""
        return window_of(self.session.model)


@dataclass(frozen=True, slots=True)
class Repeat:
    """The number of requests in a recorded session, and how many of them older files contain too."""

    requests: int
    copied: int = 0


Known = Mapping[str, Sequence[Repeat]]
"""The repeats of each session, by file."""


@dataclass(frozen=True)
class FileResults(Generic[R]):
    """The results for the conversations of one file."""

    path: str
    rows: tuple[R, ...] = ()
    short: int = 0
    """Conversations with too few requests to count."""
    skipped: int = 0
    """The number of damaged records."""
    copies: int = 0
    """The number of sessions that another file contains completely."""
    failure: str = ""
    """Why the lab could not read the file, or the rest of it."""


def repeats(paths: Sequence[Path], *, workers: int = 2) -> Known:
    """Return, for each session of each file, how many of its requests an older file contains too."""
    # A copy is newer than its source.
    oldest_first = sorted(paths, key=changed_at)
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
    """Split a session into pieces whose requests have at most `limit` tokens; later pieces are `name/2`, ..."""
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
    """Return the requests from `first` up to `last`, without the messages between the opening ones and `start`."""
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


def recorded_lifetime(source: Source) -> str:
    """Return `1h` if the provider cached most tokens for an hour, else an empty string.

    Some agents record the billed tokens: those cached for five minutes, and those cached for an hour, whose write
    costs twice an uncached token.
    """
    try:
        data = source.content()
    except (OSError, FormatError):
        return ""
    tokens = {b"5m": 0, b"1h": 0}
    for lifetime, count in _WRITTEN.findall(data):
        tokens[lifetime] += int(count)
    return "1h" if tokens[b"1h"] > tokens[b"5m"] else ""


def for_each_conversation(
    path: Path | Source,
    work: Callable[[RecordedConversation], Sequence[R]],
    known: Known | None = None,
    limit: int | None = None,
) -> FileResults[R]:
    """Call `work` for each conversation of a file or source, and return its rows.

    A conversation without rows is too short to count. Results before a damaged place count. The function cuts
    conversations at `limit` tokens, or else at their model's window. Without `known`, no request counts as a copy.
    """
    found: list[Sequence[R]] = []
    skipped = copies = number = 0
    failures: list[str] = []
    name = path.name if isinstance(path, Source) else str(path)
    repeated = (known or {}).get(name, ())
    for source in parts(path) if isinstance(path, Path) else (path,):
        lifetime = recorded_lifetime(source)
        try:
            for session in source.sessions():
                skipped += session.skipped
                copied = repeated[number].copied if number < len(repeated) else 0
                number += 1
                copies += copied == len(session.requests)
                for piece in conversations(session, limit or window_of(session.model)):
                    if copied < len(piece.requests):
                        found.append(work(RecordedConversation(piece, lifetime, copied)))
                    copied = max(0, copied - len(piece.requests))
        except Exception as error:  # One broken recording must not stop the analysis of the others.
            failures.append(_reason(source.name, error))
    if len(failures) > _SAID:
        failures[_SAID:] = [f"and {len(failures) - _SAID} more"]
    rows = tuple(row for rows in found for row in rows)
    short = sum(not rows for rows in found)
    return FileResults(whole_text(name), rows, short, skipped, copies, "; ".join(failures))


def _reason(name: str, error: Exception) -> str:
    """Return why a recording could not be read, or the rest of it."""
    if isinstance(error, OSError):
        return f"{name}: {(error.strerror or str(error)).lower()}"
    said = whole_text(str(error))
    return said if said.startswith(name) else f"{name}: {type(error).__name__}: {said}"


def _keys(path: Path) -> list[tuple[str, ...]]:
    """Return the key of each request of each session, as far as the file is readable."""
    found: list[tuple[str, ...]] = []
    for source in parts(path):
        with suppress(Exception):  # `for_each_conversation` reports this error.
            found.extend(session.keys() for session in source.sessions())
    return found
