"""Claude Code takes its base URL from the environment, and before that from its settings files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Final

from prunus.clients.launcher import FileEntry, Host, Launch, Launcher, as_dict, entry, origins, read_json, through

_VARIABLE: Final = "ANTHROPIC_BASE_URL"
_ELSEWHERE: Final = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}


class ClaudeLauncher(Launcher):
    """Overrides a base URL from the settings files by the option `--settings`."""

    keys: ClassVar = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")

    def upstreams(self, host: Host) -> dict[str, str]:
        base = _configured(host) or host.environment.get(_VARIABLE)
        return origins({"anthropic": base} if base else {})

    def launch(self, url: str, host: Host) -> Launch:
        configured = _configured(host)
        base = configured or host.environment.get(_VARIABLE)
        wanted = through(url, "anthropic", base) if base else url
        arguments = ("--settings", json.dumps({"env": {_VARIABLE: wanted}})) if configured else ()
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
            "IS_SANDBOX": "1",  # as root, it works unattended only where it is told that this is meant
            "CLAUDECODE": "",  # set inside a session of its own, in which it would not start another
        }
        return Launch(arguments, environment)

    def problems(self, host: Host) -> Iterator[str]:
        for variable, provider in _ELSEWHERE.items():
            if host.environment.get(variable):
                yield f"{variable} is set: requests go to {provider}, past Prunus; unset it"


def _configured(host: Host) -> str:
    """The base URL in the settings files; the nearest file counts."""
    for path in (
        host.folder / ".claude" / "settings.local.json",
        host.folder / ".claude" / "settings.json",
        _user_settings(host),
    ):
        if base := _base_in(path):
            return base
    return ""


def _user_settings(host: Host) -> Path:
    return Path(host.environment.get("CLAUDE_CONFIG_DIR") or host.home / ".claude") / "settings.json"


def _base_in(path: Path) -> str:
    base = as_dict(read_json(path).get("env")).get(_VARIABLE)
    return base if isinstance(base, str) else ""


LAUNCHER: Final = ClaudeLauncher
