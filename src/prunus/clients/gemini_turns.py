"""Recorded turns as the contents of a Gemini request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from prunus.clients.recorded_file import JsonObject, Session, mapping, rows, text
from prunus.clients.turns import Paired, RecordedTurn, session_from


def parts_of(content: Any) -> list[JsonObject]:
    """The parts of a message, which may be one string or a list with strings in it; empty texts are left out."""
    listed = content if isinstance(content, list) else [content]
    parts = [{"text": part} if isinstance(part, str) else part for part in listed]
    return [part for part in rows(parts) if part.get("text") != ""]


def answer_turn(parts: Iterable[JsonObject], time: float | None, *, carried: bool = False) -> RecordedTurn:
    """The answer of the model."""
    held = list(parts)
    calls = tuple(text(mapping(part["functionCall"]).get("id")) for part in held if "functionCall" in part)
    return RecordedTurn("assistant", {"parts": held}, calls, time=time, carried=carried)


def user_turns(parts: Iterable[JsonObject], time: float | None) -> list[RecordedTurn]:
    """The user's side of a message: the prompt, then each response with the images that follow it."""
    turns: list[RecordedTurn] = []
    said: list[JsonObject] = []
    held = said
    for part in parts:
        if "functionResponse" in part:
            held = [part]
            id = text(mapping(part["functionResponse"]).get("id")) or "?"
            turns.append(RecordedTurn("tool", {"parts": held}, answers=id, time=time))
        else:
            held.append(part)
    return [RecordedTurn("user", {"parts": said}, time=time), *turns] if said else turns


def content_turns(contents: Any, time: float | None = None) -> Iterator[RecordedTurn]:
    """Contents in wire shape that a window took over."""
    for content in rows(contents):
        parts = parts_of(content.get("parts"))
        if content.get("role") == "model":
            yield answer_turn(parts, time, carried=True)
        else:
            yield from user_turns(parts, time)


def as_session(turns: Sequence[RecordedTurn], model: str = "", skipped: int = 0) -> Session:
    """Contents in which all responses of an answer stand together, right behind it.

    https://ai.google.dev/gemini-api/docs/function-calling
    """
    return session_from(turns, "gemini", model, skipped, _add)


def _add(contents: list[JsonObject], paired: Paired) -> bool:
    """Add the parts of a message without calls that have no response."""
    parts, results = paired.turn.payload["parts"], iter(paired.results)
    if paired.turn.role == "assistant":
        parts = [part for part in parts if "functionCall" not in part or next(results) is not None]
    if not parts:
        return False
    contents.append({"role": "model" if paired.turn.role == "assistant" else "user", "parts": parts})
    if paired.answered:
        responses = [part for result in paired.answered for part in result.payload["parts"]]
        contents.append({"role": "user", "parts": responses})
    return True
