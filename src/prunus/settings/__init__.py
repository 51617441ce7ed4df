"""Settings, read from presets, TOML and JSONC files, command-line options and Python."""

from __future__ import annotations

from prunus.settings.model import Loaded, Settings, discover, load
from prunus.settings.tables import Limits, Manual, Tokens

__all__ = ["Limits", "Loaded", "Manual", "Settings", "Tokens", "discover", "init_text", "load"]


def init_text() -> str:
    """Return a prunus.toml with every key commented out, each with its default and help text."""
    from prunus.settings.describe import init_text

    return init_text()
