"""Google's Agent Development Kit: a plugin that prunes what the agents of an app send.

    App(name="app", root_agent=agent, plugins=[PrunusPlugin()])

The events of the session stay whole.
"""

from __future__ import annotations

import json
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from prunus.integrations.integration import Integration
from prunus.pruner import Pruner
from prunus.settings import Settings


class PrunusPlugin(Integration, BasePlugin):
    """Prunes every request that the agents of an app send to their models."""

    def __init__(self, *, pruner: Pruner | None = None, settings: Settings | None = None) -> None:
        super().__init__(name="prunus", pruner=pruner, settings=settings)

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Give the request a pruned history; the pruning happens beside the event loop."""
        llm_request.contents = await self.safely_aside(llm_request.contents, lambda: self._pruned(llm_request))

    def _pruned(self, request: Any) -> list[Any]:
        """The contents to send. Unchanged ones are the given objects, changed ones are copies."""
        raw = [content.model_dump(mode="json", by_alias=True, exclude_none=True) for content in request.contents]
        given = {id(one): content for one, content in zip(raw, request.contents, strict=True)}
        body = {**_prompt(request.config), "contents": raw}
        name = str(request.model or "").rpartition("/")[2]
        pruned = self.prune(body, format="gemini", model=name).body
        return [given.get(id(one)) or _from_json(one) for one in pruned["contents"]]


def _prompt(config: Any) -> dict[str, Any]:
    """What the model reads before the contents: the system text, and the names of the tools."""
    declared = [one for tool in config.tools or () for one in getattr(tool, "function_declarations", None) or ()]
    tools = [{"functionDeclarations": [{"name": one.name} for one in declared]}]
    return {"systemInstruction": {"parts": [{"text": str(config.system_instruction or "")}]}, "tools": tools}


def _from_json(raw: dict[str, Any]) -> Any:
    # Only from JSON text are bytes, such as signatures, read as base64.
    return types.Content.model_validate_json(json.dumps(raw))
