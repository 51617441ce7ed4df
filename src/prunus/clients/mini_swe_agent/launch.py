"""mini-swe-agent takes its base URL from the usual variables, and its task from the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar, Final

from platformdirs import user_config_path

from prunus.clients.launcher import FileEntry, Host, Launch, Launcher, entry, read_settings
from prunus.errors import SettingsError

_BASES: Final = {
    "ANTHROPIC_API_BASE": "anthropic",
    "OPENAI_API_BASE": "openai/v1",
    "GEMINI_API_BASE": "gemini/v1beta",
}
"""The variables that it reads through litellm, with the names and paths of their upstreams in the proxy."""


class MiniLauncher(Launcher):
    """Starts `mini`, which has no model of its own."""

    keys: ClassVar = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MSWEA_MODEL_API_KEY")

    def entries(self, url: str, host: Host) -> tuple[FileEntry, ...]:
        path = _variables(host)
        bases = {**read_settings(path), **host.environment}
        return tuple(entry(path, (name,), url, default, bases.get(name)) for name, default in _BASES.items())

    def unattended(self, prompt: str, model: str, host: Host) -> Launch:
        if not model:
            raise SettingsError("mini needs a model with its provider, such as --model openai/gpt-5")
        recorded = str(host.scratch / "trajectory.json")
        # Its own limit of dollars would end the dearer arm of a comparison sooner.
        limit = ("--cost-limit", "0")
        arguments = ("-m", model, "-y", "--exit-immediately", *limit, "-t", prompt, "-o", recorded)
        environment = {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors"}
        return Launch(arguments, environment)


def _variables(host: Host) -> Path:
    """The file of variables that it reads when it starts."""
    named = host.environment.get("MSWEA_GLOBAL_CONFIG_DIR")
    if named:
        return Path(named) / ".env"
    if sys.platform in ("darwin", "win32"):
        return user_config_path("mini-swe-agent") / ".env"
    return Path(host.environment.get("XDG_CONFIG_HOME") or host.home / ".config") / "mini-swe-agent" / ".env"


LAUNCHER: Final = MiniLauncher
