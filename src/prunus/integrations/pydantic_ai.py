"""pydantic-ai 2: a capability that prunes what an agent sends.

    Agent("openai:gpt-5", capabilities=[Prunus()])

The history of the run stays whole: only the messages of the request are replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said


class Prunus(Integration, AbstractCapability[Any]):
    """Prunes every request that an agent sends to its model."""

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """The request with a pruned history; the pruning happens beside the event loop."""
        request_context.messages = await self.safely_aside(
            request_context.messages, lambda: self._pruned(request_context)
        )
        return request_context

    def _pruned(self, request: Any) -> list[Any]:
        parameters = request.model_request_parameters
        return prune_rows(
            self,
            request.messages,
            to_rows,
            put_back,
            system="\n".join(part.content for part in parameters.instruction_parts or ()),
            tools=[tool.name for tool in parameters.function_tools],
            model=request.model.model_name,
        )


def to_rows(message: ModelMessage) -> Iterator[ChatRow]:
    """The rows of a message: one for a response of the model, one for each part of a request."""
    if isinstance(message, ModelResponse):
        yield _response(message)
        return
    for index, part in enumerate(message.parts):
        match part:
            case ToolReturnPart() if type(part) is ToolReturnPart and not part.files:
                yield answered(part.tool_call_id, part.model_response_str(), index)
            case ToolReturnPart():
                yield answered(part.tool_call_id, part.model_response_str(), unmapped=1)
            case RetryPromptPart(tool_name=str()):
                yield answered(part.tool_call_id, part.model_response())
            case UserPromptPart(content=str(text)):
                yield said("user", text, index)
            case UserPromptPart():
                texts = [one for one in part.content if isinstance(one, str)]
                yield said("user", "\n".join(texts), unmapped=len(part.content) - len(texts))
            case SystemPromptPart():
                yield said("system", part.content)
            case _:
                yield said("user", "", unmapped=1)


def _response(message: ModelResponse) -> ChatRow:
    calls = [
        MadeCall(part.tool_call_id, part.tool_name, part.args_as_json_str(), index)
        for index, part in enumerate(message.parts)
        if isinstance(part, ToolCallPart)
    ]
    texts = [index for index, part in enumerate(message.parts) if isinstance(part, TextPart)]
    text = "\n".join(message.parts[index].content for index in texts)
    others = len(message.parts) - len(calls) - len(texts)
    return said("assistant", text, texts[0] if len(texts) == 1 else None, others, calls)


def put_back(message: ModelMessage, changes: RowChanges) -> ModelMessage:
    """A copy of a message with these changes; the parts are named by their place."""
    parts: list[Any] = list(message.parts)
    for index, new in changes.items():
        part = parts[index]
        if not isinstance(part, ToolCallPart):
            change = {"content": new}
        elif isinstance(part.args, str):
            change = {"args": replace(part, args=new).args_as_json_str()}
        else:
            change = {"args": new}
        parts[index] = replace(part, **change)
    return replace(message, parts=parts)
