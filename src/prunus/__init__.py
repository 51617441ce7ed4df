"""Prunus prunes the history that an LLM agent sends with every request.

    out = prunus.prune(body)
    out.body, out.edits, out.refusals, out.report, out.error

Names are loaded when they are first used, so that `prunus --help` does not wait for the whole library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prunus.changelog import generate_changelog
    from prunus.edits import Edit, Refusal
    from prunus.errors import FormatError, InvariantError, PrunusError, SettingsError
    from prunus.files.at import FileHistory
    from prunus.files.state import FileState
    from prunus.histories import history_of
    from prunus.integrations.http_clients import async_httpx_client, httpx_client
    from prunus.intent import with_intent, without_intent
    from prunus.outcome import Outcome, Receipt, Report
    from prunus.projections import compose, projection, smart_tool_retention
    from prunus.pruner import Pruner, prune
    from prunus.schedule.ledger import Flush
    from prunus.settings import Settings

__all__ = [
    "Edit",
    "FileHistory",
    "FileState",
    "Flush",
    "FormatError",
    "InvariantError",
    "Outcome",
    "Pruner",
    "PrunusError",
    "Receipt",
    "Refusal",
    "Report",
    "Settings",
    "SettingsError",
    "async_httpx_client",
    "compose",
    "generate_changelog",
    "history_of",
    "httpx_client",
    "projection",
    "prune",
    "smart_tool_retention",
    "with_intent",
    "without_intent",
]

_HOMES = {
    "changelog": ("generate_changelog",),
    "edits": ("Edit", "Refusal"),
    "errors": ("FormatError", "InvariantError", "PrunusError", "SettingsError"),
    "files.at": ("FileHistory",),
    "files.state": ("FileState",),
    "histories": ("history_of",),
    "integrations.http_clients": ("async_httpx_client", "httpx_client"),
    "intent": ("with_intent", "without_intent"),
    "outcome": ("Outcome", "Receipt", "Report"),
    "projections": ("compose", "projection", "smart_tool_retention"),
    "pruner": ("Pruner", "prune"),
    "schedule.ledger": ("Flush",),
    "settings": ("Settings",),
}


def __getattr__(name: str) -> Any:
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'prunus' has no attribute {name!r}")
    return getattr(import_module(f"prunus.{home}"), name)


def __dir__() -> list[str]:
    return __all__
