"""Settings, read from presets, TOML and JSONC files, command-line options and Python."""

from __future__ import annotations

from prunus.settings.model import Loaded, Settings, discover, load
from prunus.settings.tables import Limits, Manual, Tokens

__all__ = ["Limits", "Loaded", "Manual", "Settings", "Tokens", "discover", "load"]
