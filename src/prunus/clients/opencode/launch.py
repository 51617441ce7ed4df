"""OpenCode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from prunus.clients.launcher import Host, Launch, origin, read_json, through

_VARIABLE: Final = "OPENCODE_CONFIG_CONTENT"
_BUILT_IN: Final = {"anthropic": "/v1", "openai": "/v1", "google": "/v1beta"}
"""Providers whose address OpenCode knows, and the path of their base URL."""
_NAMES: Final = ("opencode.json", "opencode.jsonc")


@dataclass(frozen=True, slots=True)
class OpenCode:
    """Takes settings from a variable, on top of those in its files."""

    name: str = "opencode"
    provider: str = "openai"
    install: str = "npm install -g opencode-ai"

    def upstreams(self, place: Host) -> dict[str, str]:
        return {name: origin(base) for name, base in _bases(place).items()}

    def launch(self, url: str, place: Host) -> Launch:
        wanted = {name: url + path for name, path in _BUILT_IN.items()}
        wanted |= {name: through(url, name, base) for name, base in _bases(place).items()}
        given = _content(place)
        providers = given.get("provider")
        providers = dict(providers) if isinstance(providers, dict) else {}
        for name, base in wanted.items():
            provider = providers.get(name)
            provider = dict(provider) if isinstance(provider, dict) else {}
            options = provider.get("options")
            provider["options"] = {**(options if isinstance(options, dict) else {}), "baseURL": base}
            providers[name] = provider
        return Launch(environment={_VARIABLE: json.dumps({**given, "provider": providers})})

    def problems(self, place: Host) -> Iterator[str]:
        yield from ()


def _content(place: Host) -> dict[str, Any]:
    try:
        given = json.loads(place.environment.get(_VARIABLE) or "{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


def _bases(place: Host) -> dict[str, str]:
    """The base URLs of providers in its settings; later files count more."""
    found: dict[str, str] = {}
    for config in (*map(read_json, _files(place)), _content(place)):
        providers = config.get("provider")
        for name, provider in providers.items() if isinstance(providers, dict) else ():
            options = provider.get("options") if isinstance(provider, dict) else None
            base = options.get("baseURL") if isinstance(options, dict) else None
            if isinstance(base, str) and base.startswith("http"):
                found[name] = base
    return found


def _files(place: Host) -> list[Path]:
    """Its settings files, the weakest first: the user's, a given one, the project's from the top down."""
    user = Path(place.environment.get("XDG_CONFIG_HOME") or place.home / ".config") / "opencode"
    given = place.environment.get("OPENCODE_CONFIG")
    folders = [*reversed(place.folder.parents), place.folder]
    return [
        *(user / name for name in _NAMES),
        *([Path(given)] if given else []),
        *(folder / name for folder in folders for name in _NAMES),
    ]


LAUNCHER = OpenCode()
