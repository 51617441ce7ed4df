"""Answers of models, event by event: what the client sees, and what is kept from it. One file per format."""

from __future__ import annotations

from collections.abc import Container

from prunus.agent.wires.anthropic import AnthropicWire
from prunus.agent.wires.chat import ChatWire
from prunus.agent.wires.responses import ResponsesWire
from prunus.agent.wires.wire import HiddenCall, Wire

__all__ = ["HiddenCall", "Wire", "wire_of"]


def wire_of(format: str, *, streaming: bool, ids: Container[str] = (), tools: Container[str] = ()) -> Wire | None:
    """The reader of a format's answers; None where they are not understood.

    `ids` are those that the model may repeat, `tools` those whose calls the client must not see.
    """
    match format:
        case "anthropic_messages":
            return AnthropicWire(ids, tools, streaming=streaming)
        case "openai_chat":
            return ChatWire(ids, tools, streaming=streaming)
        case "openai_responses":
            return ResponsesWire(ids, tools, streaming=streaming)
    return None
