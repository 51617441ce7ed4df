"""OpenCode, on three APIs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.e2e.clients.client import Start

__all__ = ["OpenCode"]

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
COMPATIBLE = {
    "npm": "@ai-sdk/openai-compatible",
    "models": {"local-model": {"limit": {"context": 200_000, "output": 8192}}},
}
WIRES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "anthropic": ("anthropic", "claude-sonnet-4-5", {}),
    "chat": ("local", "local-model", COMPATIBLE),
    "responses": ("openai", "gpt-5", {}),
}


@dataclass(frozen=True, slots=True)
class OpenCode:
    """`opencode run` with one provider in the settings of the project."""

    wire: str
    package: str = "opencode"
    resumes: bool = True
    compacts: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return f"opencode-{self.wire}"

    @property
    def upstream(self) -> str:
        return "anthropic" if self.wire == "anthropic" else "openai"

    def command(self, start: Start) -> list[str]:
        provider, model, more = WIRES[self.wire]
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "permission": "allow",
            "model": f"{provider}/{model}",
            "small_model": f"{provider}/{model}",
            "provider": {provider: {"options": {"baseURL": f"{start.url}/v1", "apiKey": "dummy"}, **more}},
        }
        (start.project / "opencode.json").write_text(json.dumps(settings))
        thinking = ["--variant", "high"] if self.wire == "anthropic" else []
        return [str(start.program), "run", *(["-c"] if start.again else []), *thinking, start.prompt]

    def environment(self, start: Start) -> dict[str, str]:
        switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        return {f"OPENCODE_DISABLE_{switch}": "1" for switch in switches}

    def answer(self, start: Start, output: str) -> str:
        return COLOUR.sub("", output).strip().splitlines()[-1]
