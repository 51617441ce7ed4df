"""One recorded conversation, as the requests that the agent sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import msgspec

from prunus.clients.fields import Json
from prunus.providers import Provider, provider_named
from prunus.providers.provider import ToolDefinition


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
        provider = provider_named(self.format)
        if provider.bare_list:
            return carried
        body: Json = {"model": self.model} if self.model and provider.names_model else {}
        body |= provider.required
        kinds = dict.fromkeys(called for message in self.messages for called in provider.called_tools(message))
        tools = provider.define_tools([ToolDefinition(name, kind=kind) for name, kind in kinds])
        if tools:
            body["tools"] = tools
        return body | dict(self.envelope) | {provider.field: carried}

    def keys(self) -> tuple[str, ...]:
        """A key for each request, the same wherever the same messages got the same answer.

        A resumed or forked session begins with a copy of another one. Requests with a key that was met before
        were sent once and recorded again; two people who begin with the same words still differ by the answer.
        """
        chain = blake2b(self.format.encode(), digest_size=16)
        found: list[str] = []
        provider = provider_named(self.format)
        done = 0
        for end in self.requests:
            for message in self.messages[done:end]:
                chain.update(_written(provider, message))
            done = end
            key = chain.copy()
            for answer in self.messages[end : end + 1]:
                key.update(b"answered" + _written(provider, answer))
            found.append(key.hexdigest())
        return tuple(found)


def _written(provider: Provider, message: Json) -> bytes:
    """A message as bytes that do not depend on the order of its fields."""
    return msgspec.json.encode(provider.identity(message), order="deterministic")
