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
    from prunus.files import FileHistory, FileState
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
    "Edit": "edits",
    "FileHistory": "files",
    "FileState": "files",
    "Flush": "schedule.ledger",
    "FormatError": "errors",
    "InvariantError": "errors",
    "Outcome": "outcome",
    "Pruner": "pruner",
    "PrunusError": "errors",
    "Receipt": "outcome",
    "Refusal": "edits",
    "Report": "outcome",
    "Settings": "settings",
    "SettingsError": "errors",
    "async_httpx_client": "integrations.http_clients",
    "compose": "projections",
    "generate_changelog": "changelog",
    "history_of": "histories",
    "httpx_client": "integrations.http_clients",
    "projection": "projections",
    "prune": "pruner",
    "smart_tool_retention": "projections",
    "with_intent": "intent",
    "without_intent": "intent",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'prunus' has no attribute {name!r}")
    return getattr(import_module(f"prunus.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
