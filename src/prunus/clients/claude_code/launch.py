"""Claude Code takes its base URL from the environment, and before that from its settings files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Final

from prunus.clients.launcher import FileEntry, Host, Launch, Launcher, as_dict, entry, read_settings, through

_VARIABLE: Final = "ANTHROPIC_BASE_URL"
_ELSEWHERE: Final = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}


class ClaudeLauncher(Launcher):
    """Overrides a base URL from the settings files by the option `--settings`."""

    keys: ClassVar = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")

    def bases(self, host: Host) -> dict[str, str]:
        base = _configured(host) or host.environment.get(_VARIABLE)
        return {"anthropic": base} if base else {}

    def launch(self, url: str, host: Host) -> Launch:
        bases = self.bases(host)
        wanted = through(url, "anthropic", bases["anthropic"]) if bases else url
        arguments = ("--settings", json.dumps({"env": {_VARIABLE: wanted}})) if _configured(host) else ()
        return Launch(arguments, {_VARIABLE: wanted})

    def entries(self, url: str, host: Host) -> tuple[FileEntry, ...]:
        path = _user_settings(host)
        base = _base_in(path) or host.environment.get(_VARIABLE)
        return (entry(path, ("env", _VARIABLE), url, "anthropic", base),)

    def unattended(self, prompt: str, model: str, host: Host) -> Launch:
        chosen = ("--model", model) if model else ()
        arguments = ("-p", prompt, *chosen, "--dangerously-skip-permissions", "--output-format", "json")
        environment = {
            "CLAUDE_CONFIG_DIR": str(host.home / ".claude"),
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",  # as root, it works unattended only if it is told that this is meant
            "CLAUDECODE": "",  # set inside a session of its own, in which it would not start another
        }
        return Launch(arguments, environment)

    def problems(self, host: Host) -> Iterator[str]:
        for variable, provider in _ELSEWHERE.items():
            if host.environment.get(variable):
                yield f"{variable} is set: requests go to {provider}, past Prunus; unset it"


def _configured(host: Host) -> str:
    """The base URL in the settings files; the nearest file counts."""
    own = host.folder / ".claude"
    paths = (own / "settings.local.json", own / "settings.json", _user_settings(host))
    return next(filter(None, map(_base_in, paths)), "")


def _user_settings(host: Host) -> Path:
    return Path(host.environment.get("CLAUDE_CONFIG_DIR") or host.home / ".claude") / "settings.json"


def _base_in(path: Path) -> str:
    base = as_dict(read_settings(path).get("env")).get(_VARIABLE)
    return base if isinstance(base, str) else ""


LAUNCHER: Final = ClaudeLauncher
