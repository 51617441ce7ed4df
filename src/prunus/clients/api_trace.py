"""Logged traffic to a model: JSON lines of `{request, response}`, or of `{path, body}` where answers were not kept.

The requests are there themselves, with system prompt and tools. Each repeats
the history, so the longest of a conversation shows the others as its beginnings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from prunus.clients.columns import session_of
from prunus.clients.recorded_file import Dialogue, JsonObject, Recording, Session, mapping, rows, text, unix_time
from prunus.clients.saved_requests import format_of
from prunus.providers import digest

AGENT = "api-trace"

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
        if all(message.get("role") == "user" for message in _without_system(_messages(longest))):
            continue
        request = _request(longest)
        envelope = {key: value for key, value in request.items() if key not in (*_LIST_KEYS, "model")}
        yield recording.session(
            AGENT,
            format_of(request).name,
            text(request.get("model")),
            recorded_requests(
                [(_messages(exchange), unix_time(exchange.get("timestamp"))) for exchange in exchanges],
                _messages(longest),
            ),
            envelope=envelope,
            unusable=unusable,
        )


def conversation_of(exchange: JsonObject) -> bytes | None:
    """A name for the conversation of a request: its session, path and first prompt; None if it has no messages."""
    messages = _without_system(_messages(exchange))
    if not messages:
        return None
    named = msgspec.json.encode([session_of(exchange), exchange.get("path")])
    return named + _identity(messages[0])


def _request(exchange: JsonObject) -> JsonObject:
    """The body of the request, with the one list that holds its messages."""
    request = mapping(exchange.get("request")) or mapping(exchange.get("body"))
    listed = next((key for key in _LIST_KEYS if rows(request.get(key))), "")
    held = {key: value for key, value in request.items() if key not in _LIST_KEYS}
    return held | {listed: rows(request[listed])} if listed else {}


def _messages(exchange: JsonObject) -> list[JsonObject]:
    request = _request(exchange)
    return next((request[key] for key in _LIST_KEYS if key in request), [])


def _identity(message: JsonObject) -> bytes:
    """The same for a message that was sent again with its cache marker moved on."""
    return digest(message, msgspec.json.encode(message))


def _without_system(messages: Sequence[JsonObject]) -> list[JsonObject]:
    """The dialogue; system prompts differ between requests, for example by a date."""
    return [message for message in messages if message.get("role") not in ("system", "developer")]


def recorded_requests(
    sent: Sequence[tuple[Sequence[JsonObject], float | None]], whole: Sequence[JsonObject]
) -> Dialogue:
    """The longest request, and how far each request that it continues reached; each comes with its time."""
    dialogue = [_identity(message) for message in _without_system(whole)]
    reached: dict[int, float | None] = {}
    for messages, time in sent:
        said = [_identity(message) for message in _without_system(messages)]
        if said == dialogue[: len(said)]:
            reached.setdefault(len(messages), time)
    requests = sorted(reached)
    return Dialogue(tuple(whole), tuple(requests), tuple(reached[length] for length in requests))
