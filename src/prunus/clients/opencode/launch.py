"""OpenCode takes settings from a variable, on top of those in its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from prunus.clients.launcher import FileEntry, Host, Launch, Launcher, as_dict, entry, read_settings, through

_VARIABLE: Final = "OPENCODE_CONFIG_CONTENT"
_BUILT_IN: Final = {"anthropic": "/v1", "openai": "/v1", "google": "/v1beta"}
"""Providers whose address OpenCode knows, and the path of their base URL."""
_DEFAULTS: Final = {"anthropic": "anthropic/v1", "openai": "openai/v1", "google": "gemini/v1beta"}
"""The same providers, with the names and paths that their upstreams have in the proxy."""
_NAMES: Final = ("opencode.json", "opencode.jsonc")


class OpenCodeLauncher(Launcher):
    """Gives each known provider the proxy as its base URL."""

    def bases(self, host: Host) -> dict[str, str]:
        """Later files count more."""
        configs = (*map(read_settings, _files(host)), _content(host))
        return {name: base for config in configs for name, base in _bases_in(config).items()}

    def entries(self, url: str, host: Host) -> tuple[FileEntry, ...]:
        folder = _user_folder(host)
        path = next((folder / name for name in reversed(_NAMES) if (folder / name).exists()), folder / _NAMES[0])
        own = _bases_in(read_settings(path))
        return tuple(
            entry(path, ("provider", name, "options", "baseURL"), url, _DEFAULTS.get(name, name), own.get(name))
            for name in _DEFAULTS | own
        )

    def launch(self, url: str, host: Host) -> Launch:
        wanted = {name: url + path for name, path in _BUILT_IN.items()}
        wanted |= {name: through(url, name, base) for name, base in self.bases(host).items()}
        given = _content(host)
        providers = dict(as_dict(given.get("provider")))
        for name, base in wanted.items():
            provider = as_dict(providers.get(name))
            options = as_dict(provider.get("options")) | {"baseURL": base}
            providers[name] = provider | {"options": options}
        return Launch(environment={_VARIABLE: json.dumps(given | {"provider": providers})})


def _content(host: Host) -> dict[str, Any]:
    try:
        return as_dict(json.loads(host.environment.get(_VARIABLE) or "{}"))
    except ValueError:
        return {}


def _bases_in(config: Mapping[str, Any]) -> dict[str, str]:
    providers = as_dict(config.get("provider"))
    bases = {name: as_dict(as_dict(one).get("options")).get("baseURL") for name, one in providers.items()}
    return {name: base for name, base in bases.items() if isinstance(base, str) and base.startswith("http")}


def _user_folder(host: Host) -> Path:
    return Path(host.environment.get("XDG_CONFIG_HOME") or host.home / ".config") / "opencode"


def _files(host: Host) -> list[Path]:
    """The settings files, the weakest first: the user's, a given one, the project's from the top down."""
    user = _user_folder(host)
    given = host.environment.get("OPENCODE_CONFIG")
    folders = [*reversed(host.folder.parents), host.folder]
    return [
        *(user / name for name in _NAMES),
        *([Path(given)] if given else []),
        *(folder / name for folder in folders for name in _NAMES),
    ]


LAUNCHER: Final = OpenCodeLauncher
