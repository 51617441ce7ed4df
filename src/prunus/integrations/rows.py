"""Prunes the message objects of any framework.

A framework describes each of its messages as rows: chat messages, each with the names of the parts that it was made
of. The rows are pruned, and the framework writes what changed into copies of its messages. So the messages that the
framework has stored stay whole. Their number, order and ids stay too, and whatever no row shows is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from prunus.integrations.integration import Integration
from prunus.outcome import aligned

M = TypeVar("M")

_FORMAT: Final = "openai_chat"

RowChanges = Mapping[Any, Any]
"""What became of the parts of a message: the new text of a text, the new arguments (a dict) of a call."""


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call in a message of the model."""

    id: str
    tool: str
    arguments: Mapping[str, Any] | str
    """The arguments, or the JSON that holds them."""
    part: Hashable = None
    """The framework's name for the part; None if its arguments cannot be put back."""


@dataclass(frozen=True, slots=True)
class ChatRow:
    """One chat message, made of parts of a framework's message."""

    chat: Mapping[str, Any]
    part: Hashable = None
    """The framework's name for the part that holds the content; None if the content cannot be put back."""
    calls: tuple[Hashable, ...] = ()
    """The framework's name for the part of each call."""
    unmapped: int = 0
    """How many parts the message has beside those in its rows."""


def said(role: str, text: str, part: Hashable = None, unmapped: int = 0, calls: Sequence[MadeCall] = ()) -> ChatRow:
    """The row of a message of the model, which may make calls, or of the system; all other roles are the user's."""
    if role != "assistant" or not calls:
        known = role if role in ("assistant", "system") else "user"
        return ChatRow({"role": known, "content": text}, part, unmapped=unmapped)
    made = [
        {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": _as_json(call.arguments)}}
        for call in calls
    ]
    chat = {"role": "assistant", "content": text or None, "tool_calls": made}
    return ChatRow(chat, part if text else None, tuple(call.part for call in calls), unmapped)


def answered(id: str, text: str, part: Hashable = None, unmapped: int = 0) -> ChatRow:
    """The row of a tool's result."""
    return ChatRow({"role": "tool", "tool_call_id": id, "content": text}, part, unmapped=unmapped)


def prune_rows(
    integration: Integration,
    messages: Sequence[M],
    to_rows: Callable[[M], Iterable[ChatRow]],
    put_back: Callable[[M, RowChanges], M],
    *,
    system: str = "",
    tools: Iterable[str] = (),
    model: str = "",
    hold: bool = False,
) -> list[M]:
    """The messages to send. Unchanged messages are the given objects, changed ones are the copies of `put_back`.

    `system` and `tools` (the names) are what the model reads before the messages. When they change, the provider's
    cache is lost, and the pruner has to know. With `hold`, nothing new is cut.
    """

    def pruned() -> list[M]:
        rows = [(index, row) for index, message in enumerate(messages) for row in to_rows(message)]
        integration.unmapped = sum(row.unmapped for _, row in rows)
        declared = [{"type": "function", "function": {"name": name}} for name in tools]
        body: dict[str, Any] = {"model": model, "tools": declared or [{}]}
        if system:
            body["system"] = str(system)  # langchain has a subclass of str, which JSON does not know
        body["messages"] = [row.chat for _, row in rows]
        outcome = integration.prune(body, format=_FORMAT, model=model, hold=hold)
        pruned_rows = aligned(outcome.body["messages"], len(rows), outcome)
        changes: dict[int, dict[Hashable, Any]] = {}
        for (index, row), new in zip(rows, pruned_rows, strict=True):
            changes.setdefault(index, {}).update(_changes(row, new))
        return [
            put_back(message, changes[index]) if changes.get(index) else message
            for index, message in enumerate(messages)
        ]

    return integration.safely(list(messages), pruned)


def _changes(row: ChatRow, new: Mapping[str, Any] | None) -> dict[Hashable, Any]:
    """Return the new values of the parts of one row; none for a removed row, because its message has to stay."""
    if new is None or new is row.chat:
        return {}
    found: dict[Hashable, Any] = {}
    if row.part is not None and new.get("content") != row.chat.get("content"):
        found[row.part] = new.get("content") or ""
    for part, old, call in zip(row.calls, row.chat.get("tool_calls", ()), new.get("tool_calls", ()), strict=True):
        arguments = call["function"]["arguments"]
        if part is not None and arguments != old["function"]["arguments"]:
            found[part] = json.loads(arguments)
    return found


def _as_json(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=str)
