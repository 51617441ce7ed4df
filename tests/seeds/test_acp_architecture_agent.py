"""The seed acp-architecture.md, as preset acp has it: auto-supersede, config keys, protected content, providers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.agent import execute
from prunus.agent.inspection import inspect
from prunus.report.funnel import SUPERSEDE_ICONS
from prunus.strategies import ALL
from tests.formats import FIELDS, call_and_result
from tests.seeds.conversations import every_format, send

ACP = Settings(preset="acp", agent={"offer": "library"})
chat_and_messages = pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat"])


def test_the_types_of_supersede_have_the_emoji_of_the_seed() -> None:
    seed = {"hash": "🔄", "file": "📁", "todo": "✅", "url": "🔗", "query": "📊"}
    assert {name: icon for name, icon in SUPERSEDE_ICONS.items() if name in seed} == seed


def test_they_run_before_the_agentic_strategies() -> None:
    order = [owner.name for owner in ALL]
    supersede = [
        "duplicate_calls",
        "stale_reads",
        "repeated_views",
        "repeated_fetches",
        "repeated_queries",
        "old_todos",
    ]
    agentic = ["old_errors", "long_outputs", "old_thinking"]
    assert max(map(order.index, supersede)) < min(map(order.index, agentic))


@every_format
@pytest.mark.parametrize(
    "command",
    ["ls", "ls -la src", "find . -name x", "pwd", "git status", "git  branch", "git log -3", "tree", "tree src"],
)
def test_only_the_latest_of_each_state_query_stays(command: str, format: str) -> None:
    lines = f"1 shell {command} -> <40 lines of a>\n2 ...\n3 shell {command} -> <41 lines of b>\n4 ..."
    sent = send(f"user: Go.\n{lines}", format, "acp")
    assert sent.goes("1") and sent.stays("3")


@every_format
def test_another_command_is_no_state_query(format: str) -> None:
    settings = {"strategies": {"duplicate_calls": {"enabled": False}, "long_outputs": {"enabled": False}}}
    lines = "1 shell make -> <40 lines of a>\n2 ...\n3 shell make -> <41 lines of b>\n4 ..."
    assert send(f"user: Go.\n{lines}", format, "acp", **settings).stays("1", "3")


@pytest.mark.parametrize(
    ("key", "strategy"),
    [
        ("pruneToolInputs", "spent_inputs"),
        ("pruneStepMarkers", "step_markers"),
        ("pruneSourceUrls", "repeated_fetches"),
        ("stateQuerySupersede", "repeated_queries"),
        ("pruneSnapshots", "old_snapshots"),
        ("pruneRetryParts", "retried_errors"),
        ("pruneFiles", "old_attachments"),
        ("pruneUserCodeBlocks", "old_code_blocks"),
        ("truncateOldErrors", "old_errors"),
        ("aggressiveFilePrune", "repeated_views"),
    ],
)
def test_each_config_key_is_on_by_default_and_can_be_set_to_false(key: str, strategy: str) -> None:
    def running(**values: Any) -> set[str]:
        return {one.name for one in Settings(preset="acp", **values).active_strategies()}

    assert strategy in running()
    assert strategy not in running(strategies={"aggressivePruning": {key: False}})


PROTECTED = (
    "context_info", "task", "todowrite", "todoread", "context_prune", "batch", "write", "edit", "plan_enter",
    "plan_exit",
)  # fmt: skip
TEXT = "a line of an answer\n" * 40


def asked(format: str, tool: str, text: str = TEXT, *, failed: bool = False) -> str:
    """What the agent is told that wants to discard the answer of a tool."""
    pair = call_and_result(format, "c1", tool, {"filePath": "/a", "command": "make"}, text)
    if failed and format == "anthropic_messages":
        pair[-1]["content"][0]["is_error"] = True
    later = call_and_result(format, "c2", "glob", {"pattern": "*"}, TEXT)
    raw = json.dumps({FIELDS[format]: [{"role": "user", "content": "Go."}, *pair, *later]}).encode()
    engine = inspect(raw, ACP, format).engine
    id = engine.view.names[engine.view.uses[0].result]
    return execute(raw, {"action": "discard", "targets": [[id], ["ffffff"]]}, ACP, format=format)


@chat_and_messages
@pytest.mark.parametrize("tool", PROTECTED)
def test_protected_tools_cannot_be_pruned(tool: str, format: str) -> None:
    words = asked(format, tool)
    assert f"({tool} is protected)" in words and "Discarded" not in words


@chat_and_messages
def test_error_outputs_cannot_be_pruned_and_invalid_hashes_are_named(format: str) -> None:
    words = asked(format, "bash", f"Exit code 2\n{TEXT}", failed=True)
    assert "(a failed call stays for debugging)" in words and "Discarded" not in words
    assert "Not found: ffffff." in words
    assert asked(format, "bash").startswith("Discarded output of `make`: 1 result")


@every_format
def test_calls_in_progress_and_of_the_current_turn_are_not_superseded(format: str) -> None:
    sent = send("user: Go.\n1a read /a -> <40 lines>\n1b read /a -> <40 lines>\n2 ...", format, "acp")
    assert sent.stays("1a", "1b"), "made in the same turn"
    sent = send("user: Go.\n1 read /a -> <40 lines>\n2 edit /a <9 lines> -> ok", format, "acp")
    assert sent.stays("2"), "the newest result"


def test_a_call_without_an_answer_supersedes_nothing() -> None:
    read = call_and_result("openai_chat", "c1", "read", {"filePath": "/a"}, TEXT)
    running, _ = call_and_result("openai_chat", "c2", "write", {"filePath": "/a", "content": "x"}, "")
    messages = [{"role": "user", "content": "Go."}, *read, running]
    assert Pruner(Settings(preset="acp")).prune({"messages": messages}).edits == ()


def test_discarded_reasoning_becomes_a_dash_where_the_provider_wants_the_field() -> None:
    def call(id: str, tool: str, arguments: Any, text: str) -> list[Any]:
        said, told = call_and_result("openai_chat", id, tool, arguments, text)
        return [{**said, "reasoning_content": f"Thoughts about {id}. " * 20}, told]

    messages = [
        {"role": "user", "content": "Go."},
        *call("c1", "read", {"filePath": "/a"}, TEXT),
        {"role": "assistant", "content": "Done.", "reasoning_content": "And so."},
        {"role": "user", "content": "Clean up."},
        *call("c2", "context_prune", {"action": "discard", "targets": [["thinking"]]}, "Noted."),
    ]
    settings = Settings(preset="acp", strategies={"old_thinking": {"enabled": False}})
    out = Pruner(settings).prune({"model": "deepseek-reasoner", "messages": messages}, format="openai_chat")
    assert out.error is None
    assert out.body["messages"][1]["reasoning_content"] == "—"
