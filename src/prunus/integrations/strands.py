"""Strands Agents: a plugin that prunes what an agent sends.

    Agent(model=model, tools=tools, plugins=[PrunusAgentPlugin()])

Strands hands the plugin a copy of the messages, so those of the agent stay whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from strands.middleware.stages import InvokeModelContext, InvokeModelStage
from strands.plugins import Plugin

from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said


class PrunusAgentPlugin(Integration, Plugin):
    """Prunes every request that an agent sends to its model."""

    name = "prunus"

    def init_agent(self, agent: Any) -> None:
        """Stand before the calls of an agent to its model."""
        agent.add_middleware(InvokeModelStage.Input, self._before_call)

    async def _before_call(self, context: InvokeModelContext) -> InvokeModelContext:
        """The call with a pruned history; the pruning happens beside the event loop."""
        return await self.safely_aside(context, lambda: self._pruned(context))

    def _pruned(self, context: InvokeModelContext) -> InvokeModelContext:
        config = context.model.get_config()
        name = config.get("model_id") if isinstance(config, dict) else getattr(config, "model_id", None)
        messages = prune_rows(
            self,
            context.messages,
            to_rows,
            put_back,
            system=str(context.system_prompt or ""),
            tools=[tool["name"] for tool in context.tool_specs],
            model=str(name or ""),
        )
        return context.replace(messages=messages)


def to_rows(message: dict[str, Any]) -> Iterator[ChatRow]:
    """The rows of a message: one for each result, or one for its words and calls."""
    blocks = list(enumerate(message["content"]))
    results = [(index, block["toolResult"]) for index, block in blocks if "toolResult" in block]
    texts = [(index, block["text"]) for index, block in blocks if "text" in block]
    calls = [
        MadeCall(block["toolUse"]["toolUseId"], block["toolUse"]["name"], block["toolUse"]["input"], index)
        for index, block in blocks
        if "toolUse" in block
    ]
    others = len(blocks) - len(results) - len(texts) - len(calls)
    for index, result in results:
        whole = all("text" in one for one in result["content"])
        text = "\n".join(one["text"] for one in result["content"] if "text" in one)
        yield answered(result["toolUseId"], text, index if whole else None, 0 if whole else 1)
    if results and not texts and not others:
        return
    text, part = "\n".join(text for _, text in texts), texts[0][0] if len(texts) == 1 else None
    yield said(message["role"], text, part, others, calls)


def put_back(message: dict[str, Any], changes: RowChanges) -> dict[str, Any]:
    """A copy of a message with these changes; the blocks are named by their place."""
    blocks = [_changed(one, changes[n]) if n in changes else one for n, one in enumerate(message["content"])]
    return {**message, "content": blocks}


def _changed(block: dict[str, Any], value: Any) -> dict[str, Any]:
    if "toolResult" in block:
        return {**block, "toolResult": {**block["toolResult"], "content": [{"text": value}]}}
    if "toolUse" in block:
        return {**block, "toolUse": {**block["toolUse"], "input": value}}
    return {**block, "text": value}
