"""langgraph: a hook that prunes what a prebuilt agent sends.

    agent = create_react_agent(model, tools, pre_model_hook=PreModelHook())

The hook gives the model other messages to read; the messages in the state of the graph stay whole. langchain has
the same messages, so its integration uses `prune_messages` too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage

from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said
from prunus.pruner import Pruner
from prunus.settings import Settings

_TEXT: Final = "text"
"""The part of a message that is its text; the parts that are calls are named by their ids."""
_ARGUMENTS: Final = {"tool_use": "input", "tool_call": "args", "function_call": "arguments"}
"""Content blocks that repeat a call of the message, and where each holds the arguments."""


class PreModelHook(Integration):
    """Gives the model a pruned history. `model` names the model that is asked, since the state does not."""

    def __init__(
        self, *, model: Any = None, pruner: Pruner | None = None, settings: Settings | None = None
    ) -> None:
        super().__init__(pruner=pruner, settings=settings)
        self._model = model

    def __call__(self, state: Any) -> dict[str, Any]:
        """The part of the state that the model reads instead of the messages."""
        messages = state["messages"] if isinstance(state, dict) else state.messages
        pruned = self.safely(messages, lambda: prune_messages(self, messages, model=self._model))
        return {"llm_input_messages": pruned}


def prune_messages(
    integration: Integration,
    messages: Sequence[BaseMessage],
    *,
    system: str = "",
    tools: Iterable[Any] = (),
    model: Any = None,
) -> list[BaseMessage]:
    """The messages to send; those that are given stay as they are. `model` is a chat model, or its name."""
    names = (str(tool.get("name", "")) if isinstance(tool, dict) else tool.name for tool in tools)
    return prune_rows(integration, messages, to_rows, put_back, system=system, tools=names, model=model_name(model))


def model_name(model: Any) -> str:
    """The name of a chat model, or of the one inside a binding; empty if it has none."""
    if isinstance(model, str):
        return model
    model = getattr(model, "bound", model)
    names = (getattr(model, key, None) for key in ("model_name", "model"))
    return next((name for name in names if isinstance(name, str)), "")


def to_rows(message: BaseMessage) -> Iterator[ChatRow]:
    """The rows of a message: always one, except for a message of a kind that Prunus does not know."""
    text, others = _text(message)
    part = _TEXT if text else None
    match message:
        case AIMessage():
            calls = [
                MadeCall(call["id"] or "", call["name"], call["args"], call["id"]) for call in message.tool_calls
            ]
            yield said("assistant", text, part, others + len(message.invalid_tool_calls), calls)
        case ToolMessage():
            yield answered(message.tool_call_id, text, part, others)
        case HumanMessage() | SystemMessage() | ChatMessage():
            yield said("system" if isinstance(message, SystemMessage) else "user", text, part, others)


def put_back(message: BaseMessage, changes: RowChanges) -> BaseMessage:
    """A copy of a message with these changes."""
    update: dict[str, Any] = {}
    if _TEXT in changes:
        update["content"] = _with_text(message.content, changes[_TEXT])
    arguments = {id: new for id, new in changes.items() if id != _TEXT}
    if arguments and isinstance(message, AIMessage):
        update["tool_calls"] = [
            {**call, "args": arguments.get(call["id"], call["args"])} for call in message.tool_calls
        ]
        content = update.get("content", message.content)
        if isinstance(content, list):
            update["content"] = [_with_arguments(block, arguments) for block in content]
        if "tool_calls" in message.additional_kwargs:
            raw = [_with_raw_arguments(call, arguments) for call in message.additional_kwargs["tool_calls"]]
            update["additional_kwargs"] = {**message.additional_kwargs, "tool_calls": raw}
    return message.model_copy(update=update)


def _text(message: BaseMessage) -> tuple[str, int]:
    """The text of a message, and how many of its blocks are neither text nor one of its calls."""
    if isinstance(message.content, str):
        return message.content, 0
    texts = [block if isinstance(block, str) else block["text"] for block in message.content if _is_text(block)]
    repeated = sum(1 for block in message.content if isinstance(block, dict) and block.get("type") in _ARGUMENTS)
    return "\n".join(texts), len(message.content) - len(texts) - repeated


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or (block.get("type") == "text" and isinstance(block.get("text"), str))


def _with_text(content: Any, text: str) -> Any:
    """A content with this text in place of its own: the first text block holds it, and the others go."""
    if isinstance(content, str):
        return text
    first = next(index for index, block in enumerate(content) if _is_text(block))
    new = text if isinstance(content[first], str) else {**content[first], "text": text}
    return [
        new if index == first else block
        for index, block in enumerate(content)
        if index <= first or not _is_text(block)
    ]


def _with_arguments(block: Any, arguments: Mapping[Any, Any]) -> Any:
    if not isinstance(block, dict) or block.get("type") not in _ARGUMENTS:
        return block
    id = block.get("call_id") or block.get("id")
    key = _ARGUMENTS[str(block["type"])]
    if id not in arguments:
        return block
    given = arguments[id]
    return {**block, key: json.dumps(given) if isinstance(block.get(key), str) else given}


def _with_raw_arguments(call: Any, arguments: Mapping[Any, Any]) -> Any:
    if call.get("id") not in arguments:
        return call
    return {**call, "function": {**call["function"], "arguments": json.dumps(arguments[call["id"]])}}
