"""Answers of models without the `intent` of their calls. One file per format that streams arguments in pieces.

Only calls of tools to which Prunus gave the argument are looked at. Their arguments are held until they are
complete and then shown in one piece, because whether an argument is the intent shows only when its key is known;
each piece before is shown empty, so that the client sees the stream go on. What is not understood stays as it came.
"""

from __future__ import annotations

from prunus.agent.veils.anthropic import AnthropicVeil
from prunus.agent.veils.chat import ChatVeil
from prunus.agent.veils.gemini import GeminiVeil
from prunus.agent.veils.responses import ResponsesVeil
from prunus.agent.veils.veil import Screen, Veil
from prunus.agent.veils.whole import WholeVeil

__all__ = ["Screen", "Veil", "veil_of"]


def veil_of(format: str, screen: Screen, *, streaming: bool) -> Veil:
    """The veil for one answer in a format."""
    if not streaming:
        return WholeVeil(format, screen)
    match format:
        case "anthropic_messages":
            return AnthropicVeil(screen)
        case "openai_chat":
            return ChatVeil(screen)
        case "openai_responses":
            return ResponsesVeil(screen)
    return GeminiVeil(screen)
