"""Logged traffic to a model: JSON lines of `{request, response}`, or of `{path, body}` if answers were not kept.

The log holds the requests themselves, with system prompt and tools. Each request repeats the history, so the
longest request of a conversation begins with the messages of all earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, rows, text, unix_time
from prunus.clients.saved_requests import format_of, identity, recorded_requests, without_system
from prunus.clients.trace_rows import session_of

_LIST_KEYS = ("messages", "contents", "input")


def recognise(recording: Recording) -> bool:
    """Lines with a request that carries messages, beside its response or the path that it went to."""
    return any(("response" in line or "path" in line) and _messages(line) for line in recording.lines)


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each first prompt, path and named session, except side requests without history."""
    conversations: dict[bytes, list[JsonObject]] = {}
    unusable = 0
    for line in recording.lines:
        if (name := conversation_of(line)) is not None:
            conversations.setdefault(name, []).append(line)
        else:
            unusable += 1
    for exchanges in conversations.values():
        longest = max(exchanges, key=lambda exchange: len(_messages(exchange)))
        if all(message.get("role") == "user" for message in without_system(_messages(longest))):
            continue
        request = _request(longest)
        format, model = format_of(request).name, text(request.get("model"))
        envelope = {key: value for key, value in request.items() if key not in (*_LIST_KEYS, "model")}
        sent = [(_messages(exchange), unix_time(exchange.get("timestamp"))) for exchange in exchanges]
        found = recorded_requests(sent, _messages(longest))
        yield replace(found, format=format, model=model, envelope=envelope, skipped=unusable)


def conversation_of(exchange: JsonObject) -> bytes | None:
    """A name for the conversation of a request: its session, path and first prompt; None if it has no messages."""
    messages = without_system(_messages(exchange))
    if not messages:
        return None
    named = msgspec.json.encode([session_of(exchange), exchange.get("path")])
    return named + identity(messages[0])


def _request(exchange: JsonObject) -> JsonObject:
    """The body of the request, with the one list that holds its messages."""
    request = mapping(exchange.get("request")) or mapping(exchange.get("body"))
    listed = next((key for key in _LIST_KEYS if rows(request.get(key))), "")
    held = {key: value for key, value in request.items() if key not in _LIST_KEYS}
    return held | {listed: rows(request[listed])} if listed else {}


def _messages(exchange: JsonObject) -> list[JsonObject]:
    request = _request(exchange)
    return next((request[key] for key in _LIST_KEYS if key in request), [])
