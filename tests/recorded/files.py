"""The recorded story in files, one for each loader."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from prunus.clients.sessions import Session, load
from tests.recorded import documents, writers
from tests.recorded.writers import Told

__all__ = ["COMPACTING", "WRITERS", "recorded"]

WRITERS: Final[dict[str, tuple[str, Callable[[Told], Any]]]] = {
    "api-trace": ("jsonl", documents.api_trace),
    "chat-export": ("json", documents.chat_export),
    "claude-code": ("jsonl", writers.claude_code),
    "codex": ("jsonl", writers.codex),
    "copilot-cli": ("jsonl", writers.copilot_cli),
    "gemini-cli": ("jsonl", writers.gemini_cli),
    "gemini-cli, document": ("json", documents.gemini_document),
    "mini-swe-agent": ("json", documents.mini_swe_agent),
    "openai-chat": ("json", documents.openai_chat),
    "opencode": ("json", documents.opencode),
    "openhands": ("json", documents.openhands),
    "openhands-sdk": ("json", documents.openhands_sdk),
    "pi": ("jsonl", writers.pi),
    "qwen-code": ("jsonl", writers.qwen_code),
    "swe-agent": ("json", documents.swe_agent),
    "tau-bench": ("json", documents.tau_bench),
}
COMPACTING: Final = (
    "claude-code",
    "codex",
    "copilot-cli",
    "gemini-cli",
    "opencode",
    "openhands",
    "openhands-sdk",
    "pi",
    "qwen-code",
)
"""Agents that compact, and whose records show it."""


def recorded(folder: Path, agent: str, told: Told | None = None) -> tuple[Session, ...]:
    """The story, or a part of it, written to a file as the agent does and loaded again."""
    told = told or Told()
    suffix, write = WRITERS[agent]
    path = folder / f"{agent}-{told.session}.{suffix}"
    written = write(told)
    path.write_text(
        "\n".join(json.dumps(line) for line in written) if suffix == "jsonl" else json.dumps(written), "utf-8"
    )
    return load(path)
