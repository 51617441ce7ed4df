"""What to say of a client to which the hidden tool is not offered."""

from __future__ import annotations

from prunus.settings import Settings


def no_hidden_tool(settings: Settings, provider: str) -> str:
    """Why a client of a provider does not get `context_prune` that was to be hidden; empty where it does."""
    if settings.agent.offer != "hidden" or provider != "gemini":
        return ""
    return "context_prune cannot be hidden in Gemini's format, so it is not offered; use --agent mcp"
