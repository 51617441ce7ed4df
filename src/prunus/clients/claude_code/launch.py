"""Claude Code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from prunus.clients.launcher import Host, Launch, origin, read_json, through

_VARIABLE: Final = "ANTHROPIC_BASE_URL"
_ELSEWHERE: Final = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}


@dataclass(frozen=True, slots=True)
class Claude:
    """Takes the base URL from the environment; one in its settings is overridden by `--settings`."""

    name: str = "claude"
    provider: str = "anthropic"
    install: str = "npm install -g @anthropic-ai/claude-code"

    def upstreams(self, place: Host) -> dict[str, str]:
        base = _configured(place) or place.environment.get(_VARIABLE)
        return {"anthropic": origin(base)} if base else {}

    def launch(self, url: str, place: Host) -> Launch:
        configured = _configured(place)
        base = configured or place.environment.get(_VARIABLE)
        wanted = through(url, "anthropic", base) if base else url
        arguments = ("--settings", json.dumps({"env": {_VARIABLE: wanted}})) if configured else ()
        return Launch(arguments, {_VARIABLE: wanted})

    def problems(self, place: Host) -> Iterator[str]:
        for variable, provider in _ELSEWHERE.items():
            if place.environment.get(variable):
                yield f"{variable} is set: requests go to {provider}, past Prunus; unset it"


def _configured(place: Host) -> str:
    """The base URL in its settings; the nearest file counts."""
    for path in (
        place.folder / ".claude" / "settings.local.json",
        place.folder / ".claude" / "settings.json",
        place.home / ".claude" / "settings.json",
    ):
        environment = read_json(path).get("env")
        base = environment.get(_VARIABLE) if isinstance(environment, dict) else None
        if isinstance(base, str) and base:
            return base
    return ""


LAUNCHER = Claude()
