"""pi, on three APIs."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.e2e.clients.client import Start

__all__ = ["Pi"]

APIS = {
    "anthropic": ("anthropic-messages", ""),
    "chat": ("openai-completions", "/v1"),
    "responses": ("openai-responses", "/v1"),
}


@dataclass(frozen=True, slots=True)
class Pi:
    """`pi -p` with a provider of its own in the settings."""

    wire: str
    package: str = "pi"
    resumes: bool = True
    compacts: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return f"pi-{self.wire}"

    @property
    def upstream(self) -> str:
        return "anthropic" if self.wire == "anthropic" else "openai"

    def command(self, start: Start) -> list[str]:
        api, suffix = APIS[self.wire]
        free = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        model = {
            "id": "local-model",
            "name": "Local",
            "reasoning": self.wire == "anthropic",
            "input": ["text"],
            "contextWindow": 200_000,
            "maxTokens": 16_000,
            "cost": free,
        }
        provider = {"baseUrl": f"{start.url}{suffix}", "api": api, "apiKey": "dummy", "models": [model]}
        folder = start.home / ".pi" / "agent"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "models.json").write_text(json.dumps({"providers": {"local": provider}}))
        again = ["--continue"] if start.again else []
        return [str(start.program), *again, "-p", "--provider", "local", "--model", "local-model", start.prompt]

    def environment(self, start: Start) -> dict[str, str]:
        return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}

    def answer(self, start: Start, output: str) -> str:
        return output.strip().splitlines()[-1]
