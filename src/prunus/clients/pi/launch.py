"""pi takes an extension from the command line, which may give providers another base URL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from prunus.clients.launcher import FileEntry, Host, Launch, Launcher, as_dict, entry, read_settings, through

_BUILT_IN: Final = {"anthropic": "", "openai": "/v1", "google": "/v1beta"}
_DEFAULTS: Final = {"anthropic": "anthropic", "openai": "openai/v1", "google": "gemini/v1beta"}
"""The same providers, with the names and paths that their upstreams have in the proxy."""


class PiLauncher(Launcher):
    """Writes an extension that gives each known provider the proxy as its base URL."""

    def bases(self, host: Host) -> dict[str, str]:
        providers = as_dict(read_settings(_models(host)).get("providers"))
        found = {name: as_dict(provider).get("baseUrl") for name, provider in providers.items()}
        return {name: base for name, base in found.items() if isinstance(base, str) and base.startswith("http")}

    def entries(self, url: str, host: Host) -> tuple[FileEntry, ...]:
        path, own = _models(host), self.bases(host)
        return tuple(
            entry(path, ("providers", name, "baseUrl"), url, _DEFAULTS.get(name, name), own.get(name))
            for name in _DEFAULTS | own
        )

    def launch(self, url: str, host: Host) -> Launch:
        wanted = {name: url + path for name, path in _BUILT_IN.items()}
        wanted |= {name: through(url, name, base) for name, base in self.bases(host).items()}
        calls = (
            f"  pi.registerProvider({json.dumps(name)}, {{ baseUrl: {json.dumps(base)} }});\n"
            for name, base in wanted.items()
        )
        extension = host.scratch / "prunus.js"
        extension.write_text(f"export default function (pi) {{\n{''.join(calls)}}}\n", encoding="utf-8")
        return Launch(("--extension", str(extension)))


def _models(host: Host) -> Path:
    return Path(host.environment.get("PI_CODING_AGENT_DIR") or host.home / ".pi" / "agent") / "models.json"


LAUNCHER: Final = PiLauncher
