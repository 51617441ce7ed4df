"""Codex CLI takes the base URL of its provider from `-c` on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Final

from prunus.clients.launcher import FileEntry, Host, Launch, Launcher, as_dict, entry, read_settings, through

_CHATGPT: Final = "https://chatgpt.com/backend-api/codex"
"""Where requests go after `codex login` with an account instead of an API key."""


class CodexLauncher(Launcher):
    """Sets the base URL of the provider that Codex is configured to use."""

    keys: ClassVar = ("CODEX_API_KEY", "OPENAI_API_KEY")

    def bases(self, host: Host) -> dict[str, str]:
        _, base = _in_use(host)
        return {"openai": base} if base else {}

    def launch(self, url: str, host: Host) -> Launch:
        key, base = _in_use(host)
        wanted = through(url, "openai", base) if base else f"{url}/v1"
        return Launch(("-c", f"{'.'.join(key)}={json.dumps(wanted)}"))

    def entries(self, url: str, host: Host) -> tuple[FileEntry, ...]:
        key, base = _in_use(host)
        return (entry(_home(host) / "config.toml", key, url, "openai/v1", base),)

    def unattended(self, prompt: str, model: str, host: Host) -> Launch:
        chosen = ("--model", model) if model else ()
        free = ("--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check")
        key = next(filter(None, map(host.environment.get, self.keys)), "")
        arguments = ("-c", "analytics.enabled=false", "exec", *free, *chosen, prompt)
        # An empty home is none: the settings of the user shall not count.
        return Launch(arguments, {"CODEX_HOME": "", "CODEX_API_KEY": key})

    def problems(self, host: Host) -> Iterator[str]:
        chosen = read_settings(_home(host) / "config.toml").get("model_provider")
        if isinstance(chosen, str) and chosen in ("ollama", "lmstudio", "amazon-bedrock"):
            yield f"model_provider = {chosen!r}: its requests go past Prunus; choose another provider"


def _home(host: Host) -> Path:
    return Path(host.environment.get("CODEX_HOME") or host.home / ".codex")


def _in_use(host: Host) -> tuple[tuple[str, ...], str]:
    """The setting that holds the base URL in use, and the URL, if it is not the default one."""
    config = read_settings(_home(host) / "config.toml")
    chosen = config.get("model_provider")
    provider = as_dict(config.get("model_providers")).get(chosen) if isinstance(chosen, str) else None
    if isinstance(provider, dict):
        key: tuple[str, ...] = ("model_providers", str(chosen), "base_url")
        base = provider.get("base_url")
    else:
        key = ("openai_base_url",)
        given = config.get(*key) or host.environment.get("OPENAI_BASE_URL")
        base = given or (_CHATGPT if _signed_in(host) else "")
    return key, base if isinstance(base, str) else ""


def _signed_in(host: Host) -> bool:
    held = read_settings(_home(host) / "auth.json")
    return bool(held.get("tokens")) and not held.get("OPENAI_API_KEY")


LAUNCHER: Final = CodexLauncher
