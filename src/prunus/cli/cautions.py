"""Warnings of `prunus run` and `prunus proxy` about settings with unexpected effects."""

from __future__ import annotations

from prunus.providers import APIS
from prunus.proxy.address import credential_notes
from prunus.settings import Settings


def cautions(settings: Settings) -> tuple[str, ...]:
    """Return warnings about costs and credentials. Raises SettingsError for an invalid provider address."""
    return (*_cost_warning(settings), *credential_notes(settings.upstreams.addresses()))


def _cost_warning(settings: Settings) -> tuple[str, ...]:
    """Return a warning about an expensive schedule and a better choice, if there is reason to warn."""
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
    """Return why a provider's clients cannot get a hidden `context_prune`, or an empty string if they can."""
    shown = any(api.upstream == provider and not api.hides_tools for api in APIS)
    if settings.agent.offer != "hidden" or not shown:
        return ""
    return "context_prune cannot be hidden in Gemini's format, so it is not offered; use --agent mcp"


def cache_notes(settings: Settings) -> tuple[str, ...]:
    """Return where the settings for the life of the provider's cache have no effect."""
    named = _cache_settings(settings)
    if not named:
        return ()
    if settings.proxy.shadow:
        return (f"{named}: no effect in shadow mode, which changes no request",)
    able = sorted({api.upstream for api in APIS if api.lifetimes})
    return (f"{named}: takes effect only in the proxy, and only for requests to {', '.join(able)}",)


def no_cache_life(settings: Settings, provider: str) -> str:
    """Return why the life of the cache cannot be set for a provider's clients, or an empty string if it can."""
    named = _cache_settings(settings)
    if not named or any(api.upstream == provider and api.lifetimes for api in APIS):
        return ""
    return f"{named}: no effect, the API of {provider} has no lifetime that a request could ask for"


def _cache_settings(settings: Settings) -> str:
    """Return the names of the settings in force that make the cache live longer."""
    named = {"cache.lifetime": settings.cache.lifetime != "as sent", "cache.keep_alive": settings.cache.keep_alive}
    return " and ".join(name for name, given in named.items() if given)
