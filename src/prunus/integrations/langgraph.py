"""langgraph: a hook that prunes what a prebuilt agent sends.

    agent = create_react_agent(model, tools, pre_model_hook=PreModelHook())

The hook gives the model other messages to read; the messages in the state of the graph stay whole.
"""

from __future__ import annotations

from typing import Any

from prunus.integrations.integration import Integration
from prunus.integrations.langchain_messages import prune_messages
from prunus.pruner import Pruner
from prunus.settings import Settings


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
