"""One recorded conversation, as the requests that the agent sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from prunus.errors import FormatError
from prunus.transcripts.tools import tool_definitions

__all__ = ["Conversation", "Session"]

_LIST_KEY = {
    "anthropic_messages": "messages",
    "openai_chat": "messages",
    "openai_responses": "input",
    "gemini": "contents",
}


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in wire shape, and where in them the model was asked."""

    messages: tuple[dict[str, Any], ...]
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
    messages: tuple[dict[str, Any], ...]
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
        body: dict[str, Any] = {"model": self.model} if self.model and self.format != "gemini" else {}
        if self.format == "anthropic_messages":
            body["max_tokens"] = 32_000
        tools = tool_definitions(self.format, self.messages)
        if tools:
            body["tools"] = tools
        return body | dict(self.envelope) | {_LIST_KEY[self.format]: carried}
