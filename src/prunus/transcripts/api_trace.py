"""Logged traffic to a model: JSON lines of `{request, response}`.

The requests are there themselves, with system prompt and tools. Each repeats
the history, so the longest of a conversation shows the others as its beginnings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from prunus.transcripts.fields import mapping, rows, text, unix_time
from prunus.transcripts.recording import Recording
from prunus.transcripts.session import Conversation, Session

__all__ = ["AGENT", "recognise", "sessions"]

AGENT = "api-trace"

_LIST_KEYS = ("messages", "contents", "input")

Exchange = dict[str, Any]


def recognise(recording: Recording) -> bool:
    """Lines with a request that carries messages, beside its response."""
    return any("response" in line and _messages(line) for line in recording.lines)


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each first prompt, except side requests without history."""
    conversations: dict[bytes, list[Exchange]] = {}
    unusable = 0
    for line in recording.lines:
        messages = _without_system(_messages(line))
        if messages:
            conversations.setdefault(msgspec.json.encode(messages[0]), []).append(line)
        else:
            unusable += 1
    for exchanges in conversations.values():
        longest = max(exchanges, key=lambda exchange: len(_messages(exchange)))
        if all(message.get("role") == "user" for message in _without_system(_messages(longest))):
            continue
        request = longest["request"]
        envelope = {key: value for key, value in request.items() if key not in (*_LIST_KEYS, "model")}
        yield recording.session(
            AGENT,
            _format(request),
            text(request.get("model")),
            _conversation(exchanges, longest),
            envelope=envelope,
            unusable=unusable,
        )


def _messages(exchange: Exchange) -> list[dict[str, Any]]:
    request = mapping(exchange.get("request"))
    return next((rows(request[key]) for key in _LIST_KEYS if rows(request.get(key))), [])


def _without_system(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The dialogue; system prompts differ between requests, for example by a date."""
    return [message for message in messages if message.get("role") not in ("system", "developer")]


def _format(request: dict[str, Any]) -> str:
    if rows(request.get("contents")):
        return "gemini"
    if rows(request.get("input")):
        return "openai_responses"
    blocks = [block for message in rows(request.get("messages")) for block in rows(message.get("content"))]
    anthropic = (
        "system" in request
        or any("input_schema" in tool for tool in rows(request.get("tools")))
        or any(block.get("type") in ("tool_use", "tool_result") for block in blocks)
    )
    return "anthropic_messages" if anthropic else "openai_chat"


def _conversation(exchanges: Sequence[Exchange], longest: Exchange) -> Conversation:
    """The longest request, and how far each request that it continues reached."""
    whole = _messages(longest)
    dialogue = _without_system(whole)
    reached: dict[int, float | None] = {}
    for exchange in exchanges:
        messages = _messages(exchange)
        said = _without_system(messages)
        if said == dialogue[: len(said)]:
            reached.setdefault(len(messages), unix_time(exchange.get("timestamp")))
    requests = sorted(reached)
    return Conversation(tuple(whole), tuple(requests), tuple(reached[length] for length in requests))
