"""The seed auto-supersede.md, from top to bottom, as preset acp has it.

Stats and log lines are told by `test_acp_architecture.py`, which has them too.
"""

from __future__ import annotations

import pytest

from prunus import Settings
from prunus.strategies import ALL
from tests.seeds.conversations import Sent, every_format, in_formats, send

both_todos = in_formats("anthropic_messages", "opencode")
"""The agents that have both todowrite and todoread."""


def acp(text: str, format: str, **settings: object) -> Sent:
    return send(f"user: Go.\n{text}", format, "acp", **settings)


# Supersede types


@every_format
def test_hash_same_tool_and_same_params_supersedes_the_old_call_and_keeps_the_new(format: str) -> None:
    sent = acp("1 read /src/app.ts -> <40 lines>\n2-4 ...\n5 read /src/app.ts -> <40 lines>\n6 ...", format)
    assert sent.result("1") == "[auto-superseded: the same call was made again later]"
    assert sent.stays("5")


@every_format
def test_hash_other_params_or_another_tool_supersede_nothing(format: str) -> None:
    sent = acp(
        "1 shell make a -> <40 lines>\n2 shell make b -> <40 lines>\n3 search make a -> <40 lines>\n4 ...", format
    )
    assert sent.stays("1", "2", "3")


@every_format
@pytest.mark.parametrize("operation", ["write /src/app.ts <9 lines>", "edit /src/app.ts <9 lines>"])
def test_file_a_write_or_edit_clears_all_old_operations_on_the_same_file(operation: str, format: str) -> None:
    sent = acp(
        f"1 read /src/app.ts -> <40 lines of v1>\n2 edit /src/app.ts <30 lines> -> <30 lines of a diff>\n"
        f"3 read /src/app.ts -> <40 lines of v2>\n4 read /src/other.ts -> <40 lines>\n5 {operation} -> ok\n6 ...",
        format,
    )
    assert sent.goes("1", "2", "3")
    assert sent.stays("4", "5")


@both_todos
def test_todo_keeps_the_latest_write_and_the_latest_read(format: str) -> None:
    sent = acp(
        "1 todo <40 words> -> <30 lines of a>\n2 todos -> <30 lines of a>\n3-4 ...\n"
        "5 todo <42 words> -> <30 lines of b>\n6-7 ...\n"
        "8 todo <44 words> -> <30 lines of c>\n9 todos -> <30 lines of c>\n10 ...",
        format,
    )
    assert sent.goes("1", "2", "5")
    assert sent.stays("8", "9")
    assert sent.result("1") == "[auto-superseded: the list was updated later]"
    assert sent.input("1") == sent.input("5") == {}
    assert sent.input("8") != {}


# Execution order


def test_auto_supersede_comes_before_the_agentic_strategies_in_the_order_of_the_seed() -> None:
    order = [owner.name for owner in ALL]
    seed = ("duplicate_calls", "stale_reads", "old_todos", "old_errors", "long_outputs", "old_thinking")
    assert [name for name in order if name in seed] == list(seed)
    running = {strategy.name for strategy in Settings.preset("acp").active_strategies()}
    assert running >= set(seed)


@every_format
def test_errors_are_purged(format: str) -> None:
    sent = acp("1 shell make -> error: Error: failed\\n<40 lines>\n2-5 ...", format)
    assert "[Error output truncated - " in sent.result("1")


@every_format
def test_large_outputs_are_truncated(format: str) -> None:
    sent = acp("1 shell make log -> <12,000 chars>\n2-3 ...", format)
    assert "... [truncated: 12,000 chars total, 600 lines] ..." in sent.result("1")


@every_format
def test_an_output_of_the_turn_before_is_not_truncated(format: str) -> None:
    assert acp("1 shell make log -> <12,000 chars>\n2 ...", format).stays("1")


@in_formats("anthropic_messages", "openai_chat", "opencode")
def test_thinking_blocks_are_compressed(format: str) -> None:
    thoughts = "1 thinks <500 words>\n1 shell make -> ok\n2 thinks <20 words>\n2 shell make it -> ok\n"
    sent = acp(f"{thoughts}user: Go on.\n3-5 ...", format)
    left = sent.thoughts()
    assert not any(len(text) > 2_000 for text in left)
    assert any(len(text.split()) == 20 for text in left)


# File keys


@every_format
def test_reads_writes_and_edits_are_known_by_their_path(format: str) -> None:
    sent = acp("1 read src/app.ts -> <40 lines>\n2 read src/./app.ts -> <40 lines>\n3 ...", format)
    assert sent.goes("1")


@in_formats("opencode")
def test_glob_and_grep_are_known_by_path_pattern_and_include(format: str) -> None:
    first = '{"path": "src", "pattern": "total", "include": "*.ts", "limit": 5}'
    again = '{"path": "src", "pattern": "total", "include": "*.ts", "limit": 50}'
    other = '{"path": "src", "pattern": "total", "include": "*.js"}'
    sent = acp(
        f"1a call grep {first} -> <40 lines>\n1b call grep {other} -> <40 lines of js>\n"
        '1c call glob {"path": "src", "pattern": "*.ts"} -> <40 lines>\n'
        '1d call glob {"path": "lib", "pattern": "*.ts"} -> <40 lines>\n'
        f"2a call grep {again} -> <40 lines>\n"
        '2b call glob {"path": "src", "pattern": "*.ts", "limit": 9} -> <9 lines>\n3 ...',
        format,
    )
    assert sent.goes("1a", "1c")
    assert sent.stays("1b", "1d", "2a", "2b")


@in_formats("anthropic_messages")
def test_glob_and_grep_are_known_in_the_words_of_other_agents(format: str) -> None:
    sent = acp(
        '1 call Grep {"path": "src", "pattern": "total", "glob": "*.ts", "head_limit": 5} -> <40 lines>\n'
        '2 call Grep {"path": "src", "pattern": "total", "glob": "*.ts", "head_limit": 50} -> <40 lines>\n3 ...',
        format,
    )
    assert sent.goes("1")


# Protection rules


@every_format
def test_turn_protection_keeps_tools_of_protected_turns(format: str) -> None:
    text = "1 read a.ts -> <40 lines>\n2 read a.ts -> <40 lines>\n3 ..."
    assert acp(text, format, turnProtection={"enabled": True, "turns": 4}).stays("1")
    assert acp(text, format).goes("1")


@every_format
def test_protected_tools_of_the_config_are_not_superseded(format: str) -> None:
    text = '1 call lookup {"city": "Oslo"} -> <40 lines>\n2 call lookup {"city": "Oslo"} -> <40 lines>\n3 ...'
    assert acp(text, format, protectedTools=["lookup"]).stays("1")
    assert acp(text, format).goes("1")


@every_format
@pytest.mark.parametrize("tool", ["task", "batch", "plan_enter", "plan_exit", "context_info", "context_prune"])
def test_the_protected_tools_of_the_seed_are_not_superseded(tool: str, format: str) -> None:
    sent = acp(f'1 call {tool} {{"a": "b"}} -> <40 lines>\n2 call {tool} {{"a": "b"}} -> <40 lines>\n3 ...', format)
    assert sent.stays("1", "2")


@in_formats("opencode")
def test_a_call_that_is_in_progress_is_not_superseded(format: str) -> None:
    sent = acp("1 shell make -> (running)\n2 shell make -> <40 lines>\n3 ...", format)
    assert sent.before.messages[1] == sent.after.messages[1]


@every_format
def test_tools_of_the_current_turn_are_not_superseded(format: str) -> None:
    assert acp("1a shell make -> <40 lines>\n1b shell make -> <40 lines>", format).stays("1a", "1b")
    assert acp("1a shell make -> <40 lines>\n1b shell make -> <40 lines>\n2 ...", format).stays("1a", "1b")
