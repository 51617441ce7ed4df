"""pi takes an extension from the command line, which may give providers another base URL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from prunus.clients.launcher import Host, Launch, Launcher, as_dict, origin, read_json, through

_BUILT_IN: Final = {"anthropic": "", "openai": "/v1", "google": "/v1beta"}


class PiLauncher(Launcher):
    """Writes an extension that gives each known provider the proxy as its base URL."""

    def upstreams(self, host: Host) -> dict[str, str]:
        return {name: origin(base) for name, base in _bases(host).items()}

    def launch(self, url: str, host: Host) -> Launch:
        wanted = {name: url + path for name, path in _BUILT_IN.items()}
        wanted |= {name: through(url, name, base) for name, base in _bases(host).items()}
        calls = (
            f"  pi.registerProvider({json.dumps(name)}, {{ baseUrl: {json.dumps(base)} }});\n"
            for name, base in wanted.items()
        )
        extension = host.scratch / "prunus.js"
        extension.write_text(f"export default function (pi) {{\n{''.join(calls)}}}\n", encoding="utf-8")
        return Launch(("--extension", str(extension)))


def _bases(host: Host) -> dict[str, str]:
    """The base URLs of providers in the list of models."""
    folder = Path(host.environment.get("PI_CODING_AGENT_DIR") or host.home / ".pi" / "agent")
    providers = as_dict(read_json(folder / "models.json").get("providers"))
    found = {name: as_dict(provider).get("baseUrl") for name, provider in providers.items()}
    return {name: base for name, base in found.items() if isinstance(base, str) and base.startswith("http")}


LAUNCHER: Final = PiLauncher
