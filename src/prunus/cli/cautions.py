"""What `prunus run` and `prunus proxy` say at the start about settings with effects that users may not expect."""

from __future__ import annotations

from prunus.providers import APIS
from prunus.proxy.address import credential_notes
from prunus.settings import Settings


def cautions(settings: Settings) -> tuple[str, ...]:
    """What is dear, and whose credentials are sent; raises SettingsError where an upstream is no address."""
    return (*_dear(settings), *credential_notes(settings.upstreams.addresses()))


def _dear(settings: Settings) -> tuple[str, ...]:
    """A line on what is dear, and one on what to choose instead; none where there is nothing to say."""
    if settings.schedule != "eager" or not settings.active_strategies():
        return ()
    preset = settings.base
    return (
        f"preset {preset} with schedule eager makes every edit at once and breaks the provider's prompt cache each "
        "time, which often costs more than no pruning",
        f"better: --preset {preset} --schedule cache makes the same edits when they pay"
        + ("" if preset == "auto" else "; --preset auto saves most"),
    )


def no_hidden_tool(settings: Settings, provider: str) -> str:
    """Why a client of a provider does not get `context_prune` that was to be hidden; empty where it does."""
    shown = any(api.upstream == provider and not api.hides_tools for api in APIS)
    if settings.agent.offer != "hidden" or not shown:
        return ""
    return "context_prune cannot be hidden in Gemini's format, so it is not offered; use --agent mcp"
