"""Recorded turns as the messages of an OpenAI chat request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from prunus.clients.recorded_file import JsonObject, Session, mapping, rows, text
from prunus.clients.turns import Paired, RecordedTurn, session_from

_WIRE_FIELDS = (
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "refusal",
    "reasoning_content",
)


def function_call(id: str, name: str, arguments: Any) -> JsonObject:
    """A call in wire shape; arguments that are no string become JSON text."""
    if not isinstance(arguments, str):
        arguments = msgspec.json.encode({} if arguments is None else arguments).decode()
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def message_turn(message: JsonObject, time: float | None = None) -> RecordedTurn:
    """A message that is in wire shape already."""
    if message.get("role") == "tool":
        return RecordedTurn("tool", message, answers=text(message.get("tool_call_id")) or "?", time=time)
    calls = tuple(text(call.get("id")) for call in rows(message.get("tool_calls")))
    return RecordedTurn(text(message.get("role")), message, calls, time=time)


def plain_turns(messages: Iterable[JsonObject]) -> list[RecordedTurn]:
    """Messages that were recorded in wire shape, without the fields the recorder added."""
    turns = []
    for message in messages:
        wire = {key: message[key] for key in _WIRE_FIELDS if message.get(key) is not None}
        if "content" in message:
            wire["content"] = message["content"]
        calls = [call if "custom" in call else _with_text(call) for call in rows(message.get("tool_calls"))]
        wire.pop("tool_calls", None)
        turns.append(message_turn(wire | {"tool_calls": calls} if calls else wire))
    return turns


def _with_text(call: JsonObject) -> JsonObject:
    """A recorded call of a function as it was sent."""
    function = mapping(call.get("function"))
    return function_call(text(call.get("id")), text(function.get("name")), function.get("arguments"))


def as_session(turns: Sequence[RecordedTurn], model: str = "") -> Session:
    """Messages in which each call is followed by its result, in the order of the calls.

    https://platform.openai.com/docs/guides/function-calling
    """
    return session_from(turns, "openai_chat", model, 0, _add)


def _add(messages: list[JsonObject], paired: Paired) -> bool:
    """Add a message without calls that have no result, unless nothing is left of it."""
    message = dict(paired.turn.payload)
    calls = rows(message.pop("tool_calls", None))
    answered = [call for call, result in zip(calls, paired.results, strict=True) if result is not None]
    if answered:
        message["tool_calls"] = answered
    elif not message.get("content") and not message.get("function_call"):
        return False
    messages += [message, *(result.payload for result in paired.answered)]
    return True
