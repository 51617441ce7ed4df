"""Requests of sub-agents are recognised, and left unchanged if the settings say so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.proxy.envelope import from_subagent
from prunus.proxy.log_lines import request_line
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import PATHS, body

MARK = [{"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.325.bc5; cc_is_subagent=true;"}]
MAIN: list[tuple[dict[str, str], Any]] = [
    ({}, "Be brief."),
    ({"x-claude-code-session-id": "c953"}, "Be brief."),
    ({"x-session-id": "ses_1", "x-session-affinity": "ses_1"}, None),
    ({"thread-id": "t", "session-id": "t"}, None),
    ({"x-openai-subagent": "compact"}, None),
    ({"x-openai-subagent": "memory_consolidation", "x-codex-parent-thread-id": "t"}, None),
]
SUB: list[tuple[dict[str, str], Any]] = [
    ({"x-claude-code-session-id": "c953", "x-claude-code-agent-id": "ab31"}, "Be brief."),
    ({}, MARK),
    ({"x-session-id": "ses_2", "x-parent-session-id": "ses_1"}, None),
    ({"thread-id": "u", "x-codex-parent-thread-id": "t", "x-openai-subagent": "collab_spawn"}, None),
    ({"x-codex-parent-thread-id": "t"}, None),
    ({"x-openai-subagent": "review"}, None),
]


@pytest.mark.parametrize(("headers", "system"), MAIN)
def test_a_main_agent_is_no_sub_agent(headers: dict[str, str], system: Any) -> None:
    assert not from_subagent(headers, json.dumps(system).encode())


@pytest.mark.parametrize(("headers", "system"), SUB)
def test_a_sub_agent_is_known_by_its_client(headers: dict[str, str], system: Any) -> None:
    assert from_subagent(headers, json.dumps(system).encode())


SAMPLES = Path(__file__).parents[3] / "shared" / "wire-samples"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="recorded requests are not there")
@pytest.mark.parametrize(
    ("name", "run", "expected"), [("claude-code", "claude-sub", 3), ("opencode-chat", "oc-sub", 3)]
)
def test_recorded_sub_agents_are_found(name: str, run: str, expected: int) -> None:
    rows = [json.loads(line) for line in (SAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    found = [
        row
        for row in rows
        if row["run"] == run and row["body"]
        if from_subagent(row["headers"], json.dumps(row["body"].get("system")).encode())
    ]
    assert len(found) == expected


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat", "openai_responses", "gemini"])
@pytest.mark.parametrize(("preset", "skipped"), [("acp", True), ("auto", False), ("smart", False)])
def test_the_proxy_skips_sub_agents_in_acp(format: str, preset: str, skipped: bool, provider: Provider) -> None:
    raw = body(format)
    headers = [("content-type", "application/json"), ("x-parent-session-id", "ses_1")]
    events: list[Any] = []
    agent = {"offer": "hidden" if preset == "acp" else "off"}
    with behind(provider, preset=preset, agent=agent, watch=events) as proxy:
        call(proxy.url, "POST", PATHS[format], raw, headers)
        call(proxy.url, "POST", PATHS[format], raw, headers[:1])
    sub, main = events
    assert (sub.what == "skipped", sub.why) == (skipped, "a sub-agent's request" if skipped else "")
    assert (main.what, main.why) == ("unchanged" if preset == "smart" else "pruned", "")
    assert not skipped or provider.asked[0].body == raw
    assert not skipped or "skipped: a sub-agent's request" in request_line(sub)


def test_callers_of_the_library_mark_requests_of_sub_agents() -> None:
    raw = json.loads(body("openai_chat"))
    for preset, skipped in (("acp", True), ("auto", False)):
        pruner = Pruner(Settings(preset=preset))
        outcome = pruner.prune(raw, subagent=True)
        assert outcome.error is None and (outcome.body == raw) == skipped
        assert pruner.prune(raw).body != raw
    assert Pruner(Settings(preset="acp", subagents="prune")).prune(raw, subagent=True).body != raw
