"""Inspect: a model for `react` that prunes what it is asked.

    react(model=PrunedGenerate(), tools=tools)

The messages of the sample stay whole, so logs and scorers see every result in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from anyio import to_thread
from inspect_ai.agent import AgentState
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, get_model
from inspect_ai.tool import Tool

from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said
from prunus.pruner import Pruner
from prunus.settings import Settings


class PrunedGenerate(Integration):
    """Asks a model with a pruned history: the one that is named, or that of the evaluation."""

    def __init__(
        self, model: Any = None, *, pruner: Pruner | None = None, settings: Settings | None = None
    ) -> None:
        super().__init__(pruner=pruner, settings=settings)
        self._model = model

    async def __call__(self, state: AgentState, tools: list[Tool]) -> AgentState:
        """Ask the model once.

        Args:
            state: The conversation, which gets the answer.
            tools: The tools of the agent.
        """
        model = get_model(self._model)
        prune = partial(
            prune_rows, self, list(state.messages), to_rows, put_back, model=model.name.rpartition("/")[2]
        )
        state.output = await model.generate(await to_thread.run_sync(prune), tools)
        state.messages.append(state.output.message)
        return state


def to_rows(message: ChatMessage) -> Iterator[ChatRow]:
    """The row of a message."""
    content = message.content
    others = 0 if isinstance(content, str) else sum(one.type != "text" for one in content)
    part = "text" if message.text and not others else None
    if isinstance(message, ChatMessageTool):
        yield answered(message.tool_call_id or "", message.text, part, others)
    else:
        made = getattr(message, "tool_calls", None) or ()
        calls = [MadeCall(one.id, one.function, one.arguments, one.id) for one in made]
        yield said(message.role, message.text, part, others, calls)


def put_back(message: ChatMessage, changes: RowChanges) -> ChatMessage:
    """A copy of a message with these changes; calls are named by their ids."""
    update: dict[str, Any] = {"content": changes["text"]} if "text" in changes else {}
    if isinstance(message, ChatMessageAssistant) and message.tool_calls:
        update["tool_calls"] = [
            replace(one, arguments=changes[one.id]) if one.id in changes else one for one in message.tool_calls
        ]
    return message.model_copy(update=update)
