"""Codex CLI."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prunus.clients.launcher import Host, Launch, origin, read_json, read_toml, through

_CHATGPT: Final = "https://chatgpt.com/backend-api/codex"
"""Where requests go after `codex login` with an account instead of an API key."""


@dataclass(frozen=True, slots=True)
class Codex:
    """Takes the base URL of its provider from `-c` on the command line."""

    name: str = "codex"
    provider: str = "openai"
    install: str = "npm install -g @openai/codex"

    def upstreams(self, place: Host) -> dict[str, str]:
        _, base = _in_use(place)
        return {"openai": origin(base)} if base else {}

    def launch(self, url: str, place: Host) -> Launch:
        key, base = _in_use(place)
        wanted = through(url, "openai", base) if base else f"{url}/v1"
        return Launch(("-c", f"{key}={json.dumps(wanted)}"))

    def problems(self, place: Host) -> Iterator[str]:
        chosen = read_toml(_home(place) / "config.toml").get("model_provider")
        if isinstance(chosen, str) and chosen in ("ollama", "lmstudio", "amazon-bedrock"):
            yield f"model_provider = {chosen!r}: its requests go past Prunus; choose another provider"


def _home(place: Host) -> Path:
    return Path(place.environment.get("CODEX_HOME") or place.home / ".codex")


def _in_use(place: Host) -> tuple[str, str]:
    """The setting that holds the base URL in use, and the URL, where it is not the default one."""
    config = read_toml(_home(place) / "config.toml")
    chosen = config.get("model_provider")
    providers = config.get("model_providers")
    if isinstance(chosen, str) and isinstance(providers, dict) and isinstance(providers.get(chosen), dict):
        base = providers[chosen].get("base_url")
        return f"model_providers.{chosen}.base_url", base if isinstance(base, str) else ""
    base = config.get("openai_base_url") or place.environment.get("OPENAI_BASE_URL") or ""
    if not base and _signed_in(place):
        base = _CHATGPT
    return "openai_base_url", base if isinstance(base, str) else ""


def _signed_in(place: Host) -> bool:
    held = read_json(_home(place) / "auth.json")
    return bool(held.get("tokens")) and not held.get("OPENAI_API_KEY")


LAUNCHER = Codex()
