"""langchain 1.x: a middleware that prunes what an agent sends, and an edit for langchain's own middleware.

    agent = create_agent(model, tools, middleware=[PrunusMiddleware()])

It belongs last in the list, so that it sees what is sent. The state of the agent stays whole.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.messages import BaseMessage

from prunus.integrations.integration import Integration
from prunus.integrations.langgraph import prune_messages
from prunus.pruner import Pruner
from prunus.settings import Settings


class PrunusMiddleware(Integration, AgentMiddleware):
    """Prunes every request that an agent sends to its model."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Call the model with a pruned history."""
        return handler(self.safely(request, lambda: self._pruned(request)))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Call the model with a pruned history; the pruning happens beside the event loop."""
        pruned = await self.safely_aside(request, lambda: self._pruned(request))
        return await handler(pruned)

    def _pruned(self, request: Any) -> Any:
        messages = prune_messages(
            self, request.messages, system=request.system_prompt or "", tools=request.tools, model=request.model
        )
        return request.override(messages=messages)


class PrunusContextEdit(Integration):
    """An edit for `ContextEditingMiddleware(edits=[PrunusContextEdit()])`, where that middleware is in use already.

    langchain does not tell an edit which model is asked. `model` names it; without one, the prices of an unknown
    model count.
    """

    def __init__(
        self, *, model: Any = None, pruner: Pruner | None = None, settings: Settings | None = None
    ) -> None:
        super().__init__(pruner=pruner, settings=settings)
        self._model = model

    def apply(self, messages: list[BaseMessage], *, count_tokens: Callable[..., int]) -> None:
        """Put the pruned messages into the list, which is the middleware's own copy of the history."""
        messages[:] = self.safely(messages, lambda: prune_messages(self, messages, model=self._model))
