"""litellm: a callback that prunes what the proxy and the asynchronous functions of the SDK send.

In the configuration of the proxy:

    litellm_settings:
      callbacks: prunus.integrations.litellm.handler

In a program: `litellm.callbacks = [PrunusHandler()]`, for `acompletion`, `aresponses` and `anthropic_messages`.
"""

from __future__ import annotations

from typing import Any, Final

from litellm.integrations.custom_logger import CustomLogger

from prunus.integrations.integration import Integration
from prunus.json.surrogates import encode
from prunus.proxy.envelope import read_envelope

_FORMATS: Final = (
    ("openai_chat", ("completion", "acompletion")),
    ("openai_responses", ("responses", "aresponses")),
    ("anthropic_messages", ("anthropic_messages", "aanthropic_messages")),
)
"""The format of a body, and what litellm calls the requests that have it."""
_BODY: Final = ("model", "system", "instructions", "tools", "messages", "input", "previous_response_id")
"""The arguments of a call that belong to the body that Prunus reads."""
_HISTORY: Final = ("messages", "input")


class PrunusHandler(Integration, CustomLogger):
    """Prunes a request when its deployment is chosen, so that the prices of the model that is asked count."""

    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> dict[str, Any] | None:
        """The arguments of the call to make; None for a call that is not for a model, or without a history."""
        kind = getattr(call_type, "value", call_type)
        format = next((format for format, kinds in _FORMATS if kind in kinds), None)
        if format is None or not any(isinstance(kwargs.get(name), list) for name in _HISTORY):
            return None
        return await self.safely_aside(kwargs, lambda: self._pruned(kwargs, format))

    def _pruned(self, kwargs: dict[str, Any], format: str) -> dict[str, Any]:
        body = {name: kwargs[name] for name in _BODY if kwargs.get(name) is not None}
        body["model"] = str(kwargs.get("model") or "").rpartition("/")[2]
        hold = bool(read_envelope(encode(body, str), format).hold)
        pruned = self.prune(body, format=format, hold=hold).body
        return {**kwargs, **{name: pruned[name] for name in _HISTORY if name in pruned}}


handler: Final = PrunusHandler()
"""The callback for a configuration file."""
