"""One recorded conversation, as the requests that the agent sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import msgspec

from prunus.clients.fields import Json, mapping, rows, text
from prunus.errors import FormatError

_LIST_KEY = {
    "anthropic_messages": "messages",
    "openai_chat": "messages",
    "openai_responses": "input",
    "gemini": "contents",
}
_ANY_OBJECT = {"type": "object", "properties": {}}
_COPIED_ANEW = ("id", "sessionID", "messageID", "parentID")
"""What OpenCode writes anew when it copies a message into a fork."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Messages in wire shape, and where in them the model was asked."""

    messages: tuple[Json, ...]
    requests: tuple[int, ...]
    times: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """What one context window of a recorded agent held, request by request.

    A native compaction ends a session and starts another; so does a sub-agent.
    """

    name: str
    """File stem; further sessions of the same file end in `#2`, `#3`, ..."""
    agent: str
    """Which agent recorded it: the name of the loader."""
    format: str
    """Wire format of the messages."""
    model: str
    """Model of the first answer, empty if unknown."""
    messages: tuple[Json, ...]
    """The whole conversation; what follows the last request is its answer."""
    requests: tuple[int, ...]
    """How many messages each request carried, strictly growing."""
    times: tuple[float | None, ...]
    """Unix time of each request, where recorded."""
    skipped: int = 0
    """Damaged or unusable records; a file's count stands in its first session."""
    envelope: Mapping[str, Any] = field(default_factory=dict)
    """Recorded fields around the messages: system prompt, tool definitions."""

    def body(self, request: int = -1) -> Any:
        """The body of one request, the last by default.

        Tool definitions that were not recorded are replaced by minimal ones for
        all tools of the session, so that they are the same in each request.
        """
        carried = list(self.messages[: self.requests[request]])
        if self.format == "opencode":
            return carried
        if self.format not in _LIST_KEY:
            raise FormatError(f"{self.name}: no request body is known for format {self.format!r}")
        body: Json = {"model": self.model} if self.model and self.format != "gemini" else {}
        if self.format == "anthropic_messages":
            body["max_tokens"] = 32_000
        tools = _tool_definitions(self.format, self.messages)
        if tools:
            body["tools"] = tools
        return body | dict(self.envelope) | {_LIST_KEY[self.format]: carried}

    def keys(self) -> tuple[str, ...]:
        """A key for each request, the same wherever the same messages got the same answer.

        A resumed or forked session begins with a copy of another one. Requests with a key that was met before
        were sent once and recorded again; two people who begin with the same words still differ by the answer.
        """
        chain = blake2b(self.format.encode(), digest_size=16)
        found: list[str] = []
        done = 0
        for end in self.requests:
            for message in self.messages[done:end]:
                chain.update(_written(self.format, message))
            done = end
            key = chain.copy()
            for answer in self.messages[end : end + 1]:
                key.update(b"answered" + _written(self.format, answer))
            found.append(key.hexdigest())
        return tuple(found)


def _written(format: str, message: Json) -> bytes:
    """A message as bytes that do not depend on the order of its fields."""
    if format == "opencode":
        kept = {"info": _own(message["info"]), "parts": [_own(part) for part in message["parts"]]}
        return msgspec.json.encode(kept, order="deterministic")
    return msgspec.json.encode(message, order="deterministic")


def _own(record: Any) -> Any:
    """A record of OpenCode without the names that a copy gets anew."""
    if not isinstance(record, dict):
        return record
    return {key: value for key, value in record.items() if key not in _COPIED_ANEW}


def _tool_definitions(format: str, messages: Iterable[Json]) -> list[Json]:
    """A definition for each tool that the messages call, in order of first use."""
    kinds = dict.fromkeys(called for message in messages for called in _called(format, message))
    match format:
        case "anthropic_messages":
            return [{"name": name, "input_schema": _ANY_OBJECT} for name, _ in kinds]
        case "openai_chat":
            return [
                {"type": "function", "function": {"name": name, "parameters": _ANY_OBJECT}} for name, _ in kinds
            ]
        case "openai_responses":
            return [_response_tool(name, kind) for name, kind in kinds]
        case "gemini":
            declared = [{"name": name, "parametersJsonSchema": _ANY_OBJECT} for name, _ in kinds]
            return [{"functionDeclarations": declared}] if declared else []
        case _:
            return []


def _called(format: str, message: Json) -> Iterator[tuple[str, str]]:
    """Name and kind of each tool called in one message."""
    match format:
        case "anthropic_messages":
            for block in rows(message.get("content")):
                if block.get("type") == "tool_use":
                    yield text(block.get("name")), "function"
        case "openai_chat":
            for call in rows(message.get("tool_calls")):
                yield text(mapping(call.get("function")).get("name")), "function"
        case "openai_responses":
            if message.get("type") in ("function_call", "custom_tool_call"):
                yield text(message.get("name")), text(message["type"])
        case "gemini":
            for part in rows(message.get("parts")):
                if "functionCall" in part:
                    yield text(mapping(part["functionCall"]).get("name")), "function"


def _response_tool(name: str, kind: str) -> Json:
    if kind == "custom_tool_call":
        return {"type": "custom", "name": name}
    return {"type": "function", "name": name, "parameters": _ANY_OBJECT, "strict": False}
