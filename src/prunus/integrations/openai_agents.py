"""OpenAI Agents SDK: a filter for the input of each call to the model.

    Runner.run(agent, text, run_config=RunConfig(call_model_input_filter=PrunusFilter()))

The items of the run and of its session stay whole.
"""

from __future__ import annotations

from typing import Any

from agents.run import CallModelData, ModelInputData

from prunus.integrations.integration import Integration


class PrunusFilter(Integration):
    """Prunes the input of every call to a model."""

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """What the model gets; the pruning happens beside the event loop."""
        return await self.safely_aside(data.model_data, lambda: self._pruned(data))

    def _pruned(self, data: CallModelData[Any]) -> ModelInputData:
        given, agent = data.model_data, data.agent
        body: dict[str, Any] = {
            "model": _model_name(agent.model),
            "instructions": given.instructions or "",
            "tools": [{"type": "function", "name": tool.name} for tool in agent.tools],
            "input": given.input,
        }
        pruned = self.prune(body, format="openai_responses").body
        return ModelInputData(input=pruned["input"], instructions=given.instructions)


def _model_name(model: Any) -> str:
    """The name of a model, which an agent has as a string or inside of an object."""
    name = model if isinstance(model, str) else getattr(model, "model", "")
    return name.rpartition("/")[2] if isinstance(name, str) else ""
