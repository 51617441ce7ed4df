"""pi."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prunus.clients.launcher import Host, Launch, origin, read_json, through

_BUILT_IN: Final = {"anthropic": "", "openai": "/v1", "google": "/v1beta"}


@dataclass(frozen=True, slots=True)
class Pi:
    """Takes an extension from the command line, which may give providers another base URL."""

    name: str = "pi"
    provider: str = "anthropic"
    install: str = "npm install -g @earendil-works/pi-coding-agent"

    def upstreams(self, place: Host) -> dict[str, str]:
        return {name: origin(base) for name, base in _bases(place).items()}

    def launch(self, url: str, place: Host) -> Launch:
        wanted = {name: url + path for name, path in _BUILT_IN.items()}
        wanted |= {name: through(url, name, base) for name, base in _bases(place).items()}
        calls = (
            f"  pi.registerProvider({json.dumps(name)}, {{ baseUrl: {json.dumps(base)} }});\n"
            for name, base in wanted.items()
        )
        extension = place.scratch / "prunus.js"
        extension.write_text(f"export default function (pi) {{\n{''.join(calls)}}}\n", encoding="utf-8")
        return Launch(("--extension", str(extension)))

    def problems(self, place: Host) -> Iterator[str]:
        yield from ()


def _bases(place: Host) -> dict[str, str]:
    """The base URLs of providers in its list of models."""
    folder = Path(place.environment.get("PI_CODING_AGENT_DIR") or place.home / ".pi" / "agent")
    providers = read_json(folder / "models.json").get("providers")
    return {
        name: base
        for name, provider in (providers.items() if isinstance(providers, dict) else ())
        if isinstance(provider, dict)
        and isinstance(base := provider.get("baseUrl"), str)
        and base.startswith("http")
    }


LAUNCHER = Pi()
