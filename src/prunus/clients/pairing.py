"""Tool calls and their results, brought together the way providers demand.

Recordings keep results where they arrived: late, in another order than the
calls, or not at all. A provider wants them right behind their call, in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prunus.clients.recorded_file import JsonObject


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One recorded message, or one tool result, in the recorded order."""

    role: str
    payload: JsonObject
    """The message or result block itself."""
    calls: tuple[str, ...] = ()
    """Ids of the calls in it."""
    answers: str = ""
    """Id of the call that it is the result of."""
    time: float | None = None
    carried: bool = False
    """Was already in the context when the session began, so nobody asked for it here."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A message with the results of its calls, None where a result is missing."""

    turn: RecordedTurn
    results: tuple[RecordedTurn | None, ...] = ()
    unfinished: bool = False
    """The recording ends in this message, before any of its calls was answered."""


def pair(turns: Sequence[RecordedTurn]) -> Iterator[Paired]:
    """All messages in order, each with its results; results without a call are left out.

    Some clients use an id again: a result belongs to the latest open call.
    """
    waiting: dict[str, list[tuple[int, int]]] = {}
    found: dict[tuple[int, int], RecordedTurn] = {}
    last = -1
    for index, turn in enumerate(turns):
        if turn.answers:
            if waiting.get(turn.answers):
                found[waiting[turn.answers].pop()] = turn
            continue
        last = index
        for position, call in enumerate(turn.calls):
            waiting.setdefault(call, []).append((index, position))
    for index, turn in enumerate(turns):
        if turn.answers:
            continue
        results = tuple(found.get((index, position)) for position in range(len(turn.calls)))
        unfinished = index == last and bool(turn.calls) and not any(results)
        yield Paired(turn, results, unfinished)


class RequestCount:
    """Counts the requests while a conversation is written down."""

    __slots__ = ("_clock", "requests", "times")

    def __init__(self) -> None:
        self.requests: list[int] = []
        self.times: list[float | None] = []
        self._clock: float | None = None

    def note_time(self, turn: RecordedTurn | None) -> None:
        """Note when something entered the context."""
        if turn is not None and turn.time is not None:
            self._clock = turn.time if self._clock is None else max(self._clock, turn.time)

    def add_request(self, carried: int, answer: RecordedTurn) -> None:
        """Note a request that carried so many messages.

        It left when the last of them had come; an answer that left no message
        behind and the next one share a request.
        """
        if answer.carried or carried <= (self.requests[-1] if self.requests else 0):
            return
        self.requests.append(carried)
        self.times.append(answer.time if self._clock is None else self._clock)
