"""Requests that real clients sent, where the recordings are at hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prunus.history import Opaque
from prunus.providers import digest, frame, read

SAMPLES = Path(__file__).parents[3] / "shared" / "wire-samples"
FORMATS = {
    "aider": {"openai_chat"},
    "claude-code": {"anthropic_messages"},
    "claude-code-sonnet": {"anthropic_messages"},
    "codex": {"openai_responses"},
    "codex-codemode": {"openai_responses"},
    "gemini-cli": {"gemini"},
    "mini-swe-agent": {"openai_chat"},
    "opencode-anthropic": {"anthropic_messages"},
    "opencode-chat": {"openai_chat"},
    "opencode-responses": {"openai_responses"},
    "opencode-withparts": {"opencode"},
    "pi": {"anthropic_messages", "openai_chat"},
    "qwen-code": {"openai_chat"},
}
# What clients send that is not for us to read: definitions, bookkeeping, server tools.
KNOWN_OPAQUE = {"additional_tools", "tool_search_call", "tool_search_output", "patch", "compaction"}

pytestmark = [
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="the recorded requests are not here"),
    pytest.mark.parametrize("name", sorted(FORMATS)),
]


def requests(name: str) -> Iterator[tuple[str, Any]]:
    """The bodies of a recording with the run they belong to."""
    lines = [json.loads(line) for line in (SAMPLES / f"{name}.jsonl").read_text().splitlines()]
    if name == "opencode-withparts":
        for run in dict.fromkeys(line["run"] for line in lines):
            yield run, [{"info": x["info"], "parts": x["parts"]} for x in lines if x["run"] == run]
    for line in lines:
        if isinstance(line.get("body"), dict):
            yield line["run"], line["body"]


def test_the_format_is_recognised(name: str) -> None:
    for run, body in requests(name):
        assert frame(json.dumps(body).encode()).format.name in FORMATS[name], run


def test_every_part_is_understood(name: str) -> None:
    for _, body in requests(name):
        history = read(json.dumps(body).encode())
        for message in history.messages:
            assert message.parts
            unknown = {part.type for part in message.parts if isinstance(part, Opaque)}
            assert unknown <= KNOWN_OPAQUE


def test_requests_of_a_run_grow_by_identity(name: str) -> None:
    if name == "aider":
        pytest.skip("Aider rewrites its messages")
    grown = 0
    last: dict[str, list[bytes]] = {}
    for run, body in requests(name):
        raw = json.dumps(body).encode()
        cut = frame(raw)
        seen = [digest(json.loads(cut.raw(i)), cut.raw(i)) for i in range(len(cut.starts))]
        before = last.get(run, [])
        grown += len(before) > 1 and seen[: len(before)] == before
        last[run] = seen
    assert grown or name in ("opencode-withparts",)
