"""LlamaIndex: a `FunctionAgent` that prunes what it sends.

    agent = PrunedFunctionAgent(tools=tools, llm=llm)

The memory of the agent and the messages of the running task stay whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.tools import AsyncBaseTool

from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said
from prunus.outcome import Outcome
from prunus.pruner import Pruner
from prunus.settings import Settings

_ROLES: Final = {
    MessageRole.ASSISTANT: "assistant",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.SYSTEM: "system",
    MessageRole.DEVELOPER: "system",
}


class PrunedFunctionAgent(FunctionAgent):
    """A `FunctionAgent` whose requests are pruned."""

    _prunus: Integration = PrivateAttr()

    def __init__(
        self, *args: Any, pruner: Pruner | None = None, settings: Settings | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._prunus = Integration(pruner=pruner, settings=settings)

    @property
    def pruner(self) -> Pruner:
        """The pruner that does the work."""
        return self._prunus.pruner

    @property
    def last(self) -> Outcome[Any] | None:
        """What the newest request gave; None before the first one."""
        return self._prunus.last

    @property
    def unmapped(self) -> int:
        """Parts of the newest request that Prunus did not see, and that were sent as they were."""
        return self._prunus.unmapped

    async def _get_response(
        self, current_llm_input: list[ChatMessage], tools: Sequence[AsyncBaseTool]
    ) -> ChatResponse:
        return await super()._get_response(await self._pruned(current_llm_input, tools), tools)

    async def _get_streaming_response(
        self, ctx: Any, current_llm_input: list[ChatMessage], tools: Sequence[AsyncBaseTool]
    ) -> ChatResponse:
        return await super()._get_streaming_response(ctx, await self._pruned(current_llm_input, tools), tools)

    async def _pruned(self, messages: list[ChatMessage], tools: Sequence[AsyncBaseTool]) -> list[ChatMessage]:
        """The messages to send; the pruning happens beside the event loop."""

        def prune() -> list[ChatMessage]:
            names = [str(tool.metadata.name or "") for tool in tools]
            model = str(self.llm.metadata.model_name or "")
            return prune_rows(self._prunus, messages, to_rows, put_back, tools=names, model=model)

        return await self._prunus.safely_aside(messages, prune)


def to_rows(message: ChatMessage) -> Iterator[ChatRow]:
    """The row of a message; its text is named `text`, its calls by their places."""
    texts = [block.text for block in message.blocks if isinstance(block, TextBlock)]
    blocks = sum(isinstance(block, ToolCallBlock) for block in message.blocks)
    others = len(message.blocks) - len(texts) - blocks
    text, part = "\n".join(texts), "text" if len(texts) == 1 else None
    if message.role == MessageRole.TOOL:
        whole = part if not others else None
        yield answered(str(message.additional_kwargs.get("tool_call_id") or ""), text, whole, others)
    else:
        yield said(_ROLES.get(message.role, "user"), text, part, others, _calls(message))


def put_back(message: ChatMessage, changes: RowChanges) -> ChatMessage:
    """A copy of a message with these changes."""
    blocks = []
    for place, block in enumerate(message.blocks):
        if isinstance(block, TextBlock) and "text" in changes:
            block = block.model_copy(update={"text": changes["text"]})
        elif place in changes:
            block = block.model_copy(update={"tool_kwargs": changes[place]})
        blocks.append(block)
    return message.model_copy(update={"blocks": blocks})


def _calls(message: ChatMessage) -> list[MadeCall]:
    """The calls of a message: its own blocks, or the objects of a provider's SDK, which nobody may change."""
    blocks = [(n, block) for n, block in enumerate(message.blocks) if isinstance(block, ToolCallBlock)]
    repeated = message.additional_kwargs.get("tool_calls") or ()
    if blocks:
        return [
            MadeCall(block.tool_call_id or "", block.tool_name, block.tool_kwargs, None if repeated else place)
            for place, block in blocks
        ]
    return [MadeCall(str(one.id), one.function.name, one.function.arguments) for one in repeated]
