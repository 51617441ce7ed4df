"""Policies that run other libraries' rules for old results.

A peer policy converts our messages into those of the library, runs the library, and copies its replaced results
back into the request. So every format can be replayed through every library. As in normal use, the library starts
anew for each request.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

from prunus.errors import SettingsError
from prunus.history import Call, Message, Result, Text
from prunus.lab.policy import Results

PEERS: Final[Mapping[str, tuple[str, ...]]] = {
    "langchain": ("langchain.agents.middleware", "langchain_core.messages", "langchain_core.messages.utils"),
    "openai-agents": ("agents.extensions", "agents.run_config"),
}
"""The modules of each peer. The lab imports them on demand, and works without them."""


def missing(peer: str) -> str:
    """Return why a peer cannot be replayed, or an empty string if it can."""
    try:
        _modules(peer)
    except SettingsError as error:
        return str(error)
    return ""


def _modules(peer: str) -> list[Any]:
    try:
        return [importlib.import_module(name) for name in PEERS[peer]]
    except ImportError as error:
        raise SettingsError(f"the policy {peer!r} needs a package that is not installed: {error}") from error


@dataclass(frozen=True, slots=True)
class LangChain:
    """LangChain's ClearToolUsesEdit: past `trigger` tokens it clears all but the newest `keep` results."""

    trigger: int = 100_000
    keep: int = 3
    name: str = "langchain"

    def __post_init__(self) -> None:
        _modules("langchain")

    def start(self) -> _PeerClearing:
        return _PeerClearing(self.trigger, self.keep)


class _PeerClearing:
    declared: str = ""

    def __init__(self, trigger: int, keep: int) -> None:
        middleware, self._kinds, utils = _modules("langchain")
        self._edit = middleware.ClearToolUsesEdit(trigger=trigger, keep=keep)
        self._measure = utils.count_tokens_approximately
        self._results = Results()
        self._messages: list[Any] = []
        self._owners: list[int] = []
        """For each message, the index of its result in `Results.places`, or -1."""
        self._counts: dict[int, int] = {}
        self._answer: Any = None

    def __call__(self, body: Any, now: float | None) -> Any:
        for _, message in self._results.take(body):
            self._convert(message)
        edited = list(self._messages)
        self._edit.apply(edited, count_tokens=lambda messages: sum(self._count(m) for m in messages))
        for owner, before, after in zip(self._owners, self._messages, edited, strict=True):
            if owner >= 0:
                words = None if after is before else str(after.content)
                self._results.replace(self._results.places[owner], words)
        return self._results.body(body)

    def _count(self, message: Any) -> int:
        """Count with LangChain's approximation. Messages live as long as this object, so addresses are keys."""
        known = self._counts.get(id(message))
        if known is None:
            known = self._counts[id(message)] = self._measure([message])
        return known

    def _convert(self, message: Message) -> None:
        """Convert a message; calls without a result between them become one answer."""
        owner = sum(isinstance(p, Result) and bool(p.at) for p in message.parts)
        owner = len(self._results.places) - owner
        for part in message.parts:
            match part:
                case Result() if part.at:
                    self._append(self._kinds.ToolMessage(part.text, tool_call_id=part.id), owner)
                    self._answer = None
                    owner += 1
                case Text() if message.role == "user":
                    self._append(self._kinds.HumanMessage(part.text))
                    self._answer = None
                case Text() if message.role == "system":
                    self._append(self._kinds.SystemMessage(part.text))
                case Text() if message.role == "assistant":
                    self._append(self._kinds.AIMessage(part.text))
                    self._answer = self._messages[-1]
                case Call():
                    if self._answer is None:
                        self._append(self._kinds.AIMessage(""))
                        self._answer = self._messages[-1]
                    given = dict(part.input) if isinstance(part.input, Mapping) else {"input": part.input}
                    self._answer.tool_calls.append(
                        {"name": part.tool, "args": given, "id": part.id, "type": "tool_call"}
                    )
                case _:
                    pass

    def _append(self, message: Any, owner: int = -1) -> None:
        self._messages.append(message)
        self._owners.append(owner)


@dataclass(frozen=True, slots=True)
class OpenAIAgents:
    """ToolOutputTrimmer with its defaults: it cuts results before the last two user messages to 200 characters."""

    name: str = "openai-agents"

    def __post_init__(self) -> None:
        _modules("openai-agents")

    def start(self) -> _Trimming:
        return _Trimming()


class _Trimming:
    declared: str = ""

    def __init__(self) -> None:
        extensions, self._run = _modules("openai-agents")
        self._trim = extensions.ToolOutputTrimmer()
        self._results = Results()
        self._items: list[dict[str, Any]] = []
        self._owners: list[int] = []

    def __call__(self, body: Any, now: float | None) -> Any:
        for _, message in self._results.take(body):
            self._convert(message)
        data = SimpleNamespace(model_data=self._run.ModelInputData(list(self._items), None))
        sent = self._trim(data).input
        for owner, before, after in zip(self._owners, self._items, sent, strict=True):
            if owner >= 0:
                self._results.replace(self._results.places[owner], None if after is before else after["output"])
        return self._results.body(body)

    def _convert(self, message: Message) -> None:
        owner = sum(isinstance(p, Result) and bool(p.at) for p in message.parts)
        owner = len(self._results.places) - owner
        if message.spoken:
            self._append(
                {"role": "user", "content": "\n".join(p.text for p in message.parts if isinstance(p, Text))}
            )
            return
        for part in message.parts:
            match part:
                case Result() if part.at:
                    self._append({"type": "function_call_output", "call_id": part.id, "output": part.text}, owner)
                    owner += 1
                case Call():
                    given = part.text if isinstance(part.input, Mapping) else json.dumps({"input": part.input})
                    self._append(
                        {"type": "function_call", "call_id": part.id, "name": part.tool, "arguments": given}
                    )
                case _:
                    pass

    def _append(self, item: dict[str, Any], owner: int = -1) -> None:
        self._items.append(item)
        self._owners.append(owner)
