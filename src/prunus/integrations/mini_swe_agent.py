"""mini-swe-agent: a model that prunes what it sends, named in the configuration.

    model:
      model_class: prunus.integrations.mini_swe_agent.PrunedModel

The trajectory stays whole.
"""

from __future__ import annotations

from typing import Any

from minisweagent.models.litellm_model import LitellmModel
from minisweagent.models.utils.actions_toolcall import BASH_TOOL

from prunus.integrations.integration import Integration


class PrunedModel(Integration, LitellmModel):
    """mini-swe-agent's own model for litellm, with a pruned history in each request."""

    def _prepare_messages_for_api(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        ready: list[dict[str, Any]] = super()._prepare_messages_for_api(messages)
        name = self.config.model_name.rpartition("/")[2]
        body = {"model": name, "tools": [BASH_TOOL], "messages": ready}
        return self.safely(ready, lambda: list(self.prune(body, format="openai_chat").body["messages"]))
