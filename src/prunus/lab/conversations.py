"""Recorded sessions as conversations of bounded length.

A native compaction has ended a session already. Recordings that went on past the limit, because their model's
window was larger, go on in a new conversation that holds the opening messages and what came after the cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from prunus.clients.sessions import Session
from prunus.lab.reading import Reader
from prunus.providers import provider_named

LIMIT: Final = 200_000
"""Tokens of a conversation's messages, unpruned."""


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
