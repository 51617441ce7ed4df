"""Claude Code, on the Messages API."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.e2e.clients.client import Start

__all__ = ["Claude"]


@dataclass(frozen=True, slots=True)
class Claude:
    """`claude -p`; an empty model is the client's own choice, which sends a system message within the messages."""

    name: str = "claude"
    model: str = "claude-sonnet-4-5"
    package: str = "claude"
    resumes: bool = True
    upstream: str = "anthropic"
    compacts: tuple[str, ...] | None = ("/compact",)

    def command(self, start: Start) -> list[str]:
        chosen = ["--model", self.model] if self.model else []
        return [
            str(start.program), *(["-c"] if start.again else []), "-p", start.prompt, *chosen,
            "--dangerously-skip-permissions", "--output-format", "json", "--max-turns", "30",
        ]  # fmt: skip

    def environment(self, start: Start) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": start.url,
            "ANTHROPIC_API_KEY": "dummy",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            # The tests may run as root, where the client wants to be told that this is meant.
            "IS_SANDBOX": "1",
        }

    def answer(self, start: Start, output: str) -> str:
        return str(json.loads(output)["result"])
