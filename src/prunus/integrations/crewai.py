"""CrewAI: hooks that prune what agents send.

    PrunusHooks().register()

A hook of CrewAI changes the list of messages that the agent itself keeps. So each changed message remembers the
whole one, and the hooks put the whole ones back: when the model has answered, before a tool runs, and at the latest
before the next request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from crewai.hooks import (
    LLMCallHookContext,
    ToolCallHookContext,
    register_after_llm_call_hook,
    register_before_llm_call_hook,
    register_before_tool_call_hook,
    unregister_after_llm_call_hook,
    unregister_before_llm_call_hook,
    unregister_before_tool_call_hook,
)

from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said


class SentMessage(dict[str, Any]):
    """A message as it is sent, which remembers the whole one."""

    whole: Any = None


class PrunusHooks(Integration):
    """Prunes every request that agents send to their models, in all crews of the process that begin from now on."""

    def register(self) -> PrunusHooks:
        """Have the hooks called by all agents that are made from now on."""
        register_before_llm_call_hook(self.before_llm_call)
        register_after_llm_call_hook(self.after_llm_call)
        register_before_tool_call_hook(self.before_tool_call)
        return self

    def unregister(self) -> None:
        """Have the hooks called by no new agents any more."""
        unregister_before_llm_call_hook(self.before_llm_call)
        unregister_after_llm_call_hook(self.after_llm_call)
        unregister_before_tool_call_hook(self.before_tool_call)

    def before_llm_call(self, context: LLMCallHookContext) -> None:
        """Put the messages to send into the list of the agent."""
        messages = context.messages
        restore(messages)

        def pruned() -> list[Any]:
            model = str(getattr(context.llm, "model", None) or "").rpartition("/")[2]
            tools = [one.name for one in getattr(context.executor, "original_tools", None) or ()]
            return prune_rows(self, messages, to_rows, put_back, tools=tools, model=model)

        messages[:] = self.safely(list(messages), pruned)

    def after_llm_call(self, context: LLMCallHookContext) -> None:
        """Put the whole messages back; CrewAI calls this after an answer in words, not after one with calls."""
        restore(context.messages)

    def before_tool_call(self, context: ToolCallHookContext) -> None:
        """Put the whole messages back after an answer with calls."""
        executor = getattr(context.agent, "agent_executor", None)
        restore(getattr(executor, "messages", []))


def restore(messages: list[Any]) -> None:
    """Replace the messages that were sent by the whole ones."""
    for index, message in enumerate(messages):
        if isinstance(message, SentMessage):
            messages[index] = message.whole


def to_rows(message: dict[str, Any]) -> Iterator[ChatRow]:
    """The row of a message; content that is no text stays as it is."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    text = content if isinstance(content, str) else "\n".join(str(one.get("text", "")) for one in blocks)
    part = "content" if isinstance(content, str) else None
    others = sum(one.get("type") != "text" for one in blocks) + ("files" in message)
    if message.get("role") == "tool":
        yield answered(str(message.get("tool_call_id") or ""), text, part, others)
    else:
        yield said(str(message.get("role")), text, part, others, _calls(message))


def put_back(message: dict[str, Any], changes: RowChanges) -> SentMessage:
    """A copy of a message with these changes; calls are named by their places."""
    sent = SentMessage(message)
    sent.whole = message
    if "content" in changes:
        sent["content"] = changes["content"]
    if message.get("tool_calls"):
        calls = sent["tool_calls"] = list(message["tool_calls"])
        for place, call in enumerate(calls):
            if place in changes:
                calls[place] = {**call, "function": {**call["function"], "arguments": json.dumps(changes[place])}}
    return sent


def _calls(message: dict[str, Any]) -> list[MadeCall]:
    """The calls of a message; those that it also holds in a provider's own form stay as they are."""
    fixed = "raw_tool_call_parts" in message
    return [
        MadeCall(call["id"], call["function"]["name"], call["function"]["arguments"], None if fixed else place)
        for place, call in enumerate(message.get("tool_calls") or ())
    ]
