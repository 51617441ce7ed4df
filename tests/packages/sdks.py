"""Programs that use the SDK of a client, as the pages show it. Each one asks for everything in one run."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.e2e.clients import Start
from tests.packages.long_story import PROMPTS

__all__ = ["ClaudeAgentSdk", "CodexSdk"]

PAGES: Final = Path(__file__).parents[2] / "docs" / "integrations"
CLAUDE: Final = """
import asyncio, json, runpy, sys
snippet, prompts, folder = sys.argv[1:]
talk = runpy.run_path(snippet)["talk"]
options = {"model": "claude-sonnet-4-5", "permission_mode": "bypassPermissions", "max_turns": 60}
print(json.dumps(asyncio.run(talk(json.loads(prompts), cwd=folder, **options))))
"""
CODEX: Final = """
import { talk } from "./snippet.mjs"
const [prompts, workingDirectory] = process.argv.slice(2)
const free = { sandboxMode: "danger-full-access", approvalPolicy: "never", skipGitRepoCheck: true }
console.log(JSON.stringify(await talk(JSON.parse(prompts), { model: "gpt-5.5", workingDirectory, ...free })))
"""


@dataclass(frozen=True)
class ClaudeAgentSdk:
    """The Claude Agent SDK, with the Claude Code that it brings along."""

    name: str = "claude-agent-sdk"
    package: str = "claude-agent-sdk"
    resumes: bool = False
    upstream: str = "anthropic"
    token: str = "secret"
    compacts: tuple[str, ...] | None = None

    def command(self, start: Start) -> list[str]:
        snippet = PAGES / "claude_agent_sdk.py"
        return [str(start.program), "-c", CLAUDE, str(snippet), json.dumps(PROMPTS), str(start.project)]

    def environment(self, start: Start) -> dict[str, str]:
        return {
            "PRUNUS_URL": start.url,
            "ANTHROPIC_API_KEY": "dummy",
            "ANTHROPIC_CUSTOM_HEADERS": f"x-prunus-token: {self.token}",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            # The tests may run as root, where the client wants to be told that this is meant.
            "IS_SANDBOX": "1",
        }

    def answer(self, start: Start, output: str) -> str:
        return output.strip()


@dataclass(frozen=True)
class CodexSdk:
    """The Codex SDK, with the Codex that it brings along."""

    name: str = "codex-sdk"
    package: str = "codex-sdk"
    resumes: bool = False
    upstream: str = "openai"
    token: str = ""
    compacts: tuple[str, ...] | None = None

    def command(self, start: Start) -> list[str]:
        settings = start.home / ".codex"
        settings.mkdir()
        (settings / "config.toml").write_text("[analytics]\nenabled = false\n")
        (settings / "auth.json").write_text('{"OPENAI_API_KEY": "dummy"}')
        installed = next(folder for folder in start.program.parents if folder.name == "node_modules")
        (start.home / "node_modules").symlink_to(installed)
        shutil.copy(PAGES / "codex_sdk.js", start.home / "snippet.mjs")
        program = start.home / "program.mjs"
        program.write_text(CODEX)
        return ["node", str(program), json.dumps(PROMPTS), str(start.project)]

    def environment(self, start: Start) -> dict[str, str]:
        return {"PRUNUS_URL": start.url}

    def answer(self, start: Start, output: str) -> str:
        return output.strip()
