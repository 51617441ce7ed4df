"""Recorded turns as a session in which every tool call is followed by its result, as providers demand.

Recordings keep results where they arrived: late, in another order than the calls, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from prunus.clients.recorded_file import JsonObject, Session, unnamed_session


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
    """Was already in the context when the session began, so that no request of this session asked for it."""
    billed: int = 0
    """Of an answer: the tokens of its request by the provider's count; 0 if that was not recorded."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A message with the results of its calls, None if a result is missing."""

    turn: RecordedTurn
    results: tuple[RecordedTurn | None, ...] = ()
    unfinished: bool = False
    """The recording ends in this message, before any of its calls was answered."""

    @property
    def answered(self) -> list[RecordedTurn]:
        """The results that were recorded."""
        return [result for result in self.results if result is not None]


def session_from(
    turns: Sequence[RecordedTurn],
    format: str,
    model: str,
    skipped: int,
    add: Callable[[list[JsonObject], Paired], bool],
    *,
    asks_again: bool = True,
) -> Session:
    """The messages of the turns in wire shape, and where the model was asked.

    `add` adds a message with its results to the messages before it, and returns whether the message stays. Each
    answer of the model had a request with the messages before the answer, which was sent when the last of them had
    come. An answer that adds no message shares its request with the next one. Without `asks_again`, so do answers
    that follow each other.
    """
    messages: list[JsonObject] = []
    requests: list[tuple[int, float | None, int]] = []
    clock: float | None = None
    for paired in pair(turns):
        turn = paired.turn
        if turn.role != "assistant":
            paired = Paired(turn, (None,) * len(turn.calls))
        came = [turn]
        if turn.role == "assistant":
            grown = len(messages) > (requests[-1][0] if requests else 0)
            if grown and not turn.carried and (asks_again or messages[-1]["role"] != "assistant"):
                requests.append((len(messages), turn.time if clock is None else clock, turn.billed))
        if not paired.unfinished and add(messages, paired):
            came += paired.answered
        clock = max((time for time in (clock, *(one.time for one in came)) if time is not None), default=None)
    return unnamed_session(format, model, messages, requests, skipped)


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
