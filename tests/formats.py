"""The formats in which a client talks to a model, by name."""

from __future__ import annotations

from typing import Any, Final

from prunus.providers import APIS, api_named

FIELDS: Final = {api.name: api.field for api in APIS}


def call_and_result(format: str, id: str, tool: str, arguments: Any, text: str) -> list[Any]:
    """The messages of a call and its result."""
    return api_named(format).call_messages(id, tool, arguments, text)
