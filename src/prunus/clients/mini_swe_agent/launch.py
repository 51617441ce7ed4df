"""mini-swe-agent takes its base URL from the usual variables, and its task from the command line."""

from __future__ import annotations

from typing import ClassVar, Final

from prunus.clients.launcher import Host, Launch, Launcher
from prunus.errors import SettingsError


class MiniLauncher(Launcher):
    """Starts `mini`, which has no model of its own."""

    keys: ClassVar = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MSWEA_MODEL_API_KEY")

    def unattended(self, prompt: str, model: str, host: Host) -> Launch:
        if not model:
            raise SettingsError("mini needs a model with its provider, such as --model openai/gpt-5")
        recorded = str(host.scratch / "trajectory.json")
        # Its own limit of dollars would end the dearer arm of a comparison sooner.
        limit = ("--cost-limit", "0")
        arguments = ("-m", model, "-y", "--exit-immediately", *limit, "-t", prompt, "-o", recorded)
        environment = {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors"}
        return Launch(arguments, environment)


LAUNCHER: Final = MiniLauncher
