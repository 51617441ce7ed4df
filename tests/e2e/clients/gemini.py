"""Gemini CLI, on the Gemini API."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.e2e.clients.client import Start

__all__ = ["GeminiCli"]

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
}


@dataclass(frozen=True, slots=True)
class GeminiCli:
    """`gemini -p` with a key."""

    name: str = "gemini"
    package: str = "gemini"
    # A resumed session of 0.61.0 repeats every functionResponse, which the API refuses.
    resumes: bool = False
    upstream: str = "gemini"
    compacts: tuple[str, ...] | None = None

    def command(self, start: Start) -> list[str]:
        folder = start.home / ".gemini"
        folder.mkdir(exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(SETTINGS))
        return [str(start.program), "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", start.prompt]

    def environment(self, start: Start) -> dict[str, str]:
        return {
            "GOOGLE_GEMINI_BASE_URL": start.url,
            "GEMINI_API_KEY": "dummy",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def answer(self, start: Start, output: str) -> str:
        return output.strip().splitlines()[-1]
