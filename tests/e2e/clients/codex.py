"""Codex, on the Responses API."""

from __future__ import annotations

from dataclasses import dataclass

from tests.e2e.clients.client import Start

__all__ = ["Codex"]

OWN = """
model = "gpt-5.5"
model_provider = "local"

[model_providers.local]
name = "local"
base_url = "{url}/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
supports_websockets = false
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false
"""

# The built-in provider tries a WebSocket first, and falls back to HTTP when that is refused.
BUILT_IN = """
model = "gpt-5.5"
openai_base_url = "{url}/v1"

[analytics]
enabled = false
"""

COMPACTING = "model_auto_compact_token_limit = 12000\n"
"""Less than the first turn ends with, and more than the second needs without it."""


@dataclass(frozen=True, slots=True)
class Codex:
    """`codex exec` with a provider of its own in the settings, or with the built-in one at another address."""

    name: str = "codex"
    built_in: bool = False
    package: str = "codex"
    resumes: bool = True
    upstream: str = "openai"
    compacts: tuple[str, ...] | None = ()

    def command(self, start: Start) -> list[str]:
        folder = start.home / ".codex"
        folder.mkdir(exist_ok=True)
        settings = (BUILT_IN if self.built_in else OWN).format(url=start.url)
        (folder / "config.toml").write_text(COMPACTING + settings if start.compacting else settings)
        if self.built_in:
            (folder / "auth.json").write_text('{"OPENAI_API_KEY": "dummy"}')
        again = ["resume", "--last"] if start.again else []
        return [
            str(start.program), "exec", *again,
            "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check",
            "--output-last-message", str(start.home / "answer.txt"), start.prompt,
        ]  # fmt: skip

    def environment(self, start: Start) -> dict[str, str]:
        return {"LOCAL_KEY": "dummy"}

    def answer(self, start: Start, output: str) -> str:
        return (start.home / "answer.txt").read_text().strip()
