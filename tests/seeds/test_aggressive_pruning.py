"""The seed aggressive-pruning.md, from top to bottom, as preset acp has it: the ten strategies and t35 to t45."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prunus import Pruner, Settings, prune
from prunus.settings.acp import AGGRESSIVE
from prunus.store import open_store
from prunus.strategies import ALL
from tests.seeds.conversations import Sent, every_format, in_formats, send


def acp(text: str, format: str, **settings: object) -> Sent:
    return send(f"user: Go.\n{text}", format, "acp", **settings)


def without(switch: str) -> dict[str, object]:
    return {"strategies": {"aggressivePruning": {switch: False}}}


# 1. Input leak fix, t35

LEAK = "1 write test.txt <5,000 chars> -> <9 lines>\n2 read test.txt -> <40 lines>\n3 ..."


@every_format
def test_t35_inputs_are_stripped_to_metadata_on_supersede(format: str) -> None:
    sent = acp(LEAK, format)
    assert list(sent.input("1").values()) == ["test.txt"]
    assert sent.goes("1")


@every_format
def test_t35_without_the_switch_inputs_stay(format: str) -> None:
    assert any(
        len(str(value)) == 5_000 for value in acp(LEAK, format, **without("pruneToolInputs")).input("1").values()
    )


# 2. Step marker filter, t37


@in_formats("opencode")
def test_t37_markers_are_filtered_those_of_the_newest_step_too(format: str) -> None:
    text = (
        "1 step-start\n1 says Let me see.\n1 read a.ts -> <9 lines>\n1 step-finish\n"
        "2 step-start\n2 read b.ts -> <9 lines>\n2 step-finish"
    )
    assert acp(text, format).markers() == 0
    assert acp(text, format, **without("pruneStepMarkers")).markers() == 4


# 3. Source-URL supersede, t38

URL = in_formats("anthropic_messages", "openai_chat", "gemini", "opencode")


@URL
@pytest.mark.parametrize("call", ["fetch https://example.org/a", "websearch pruning of fruit trees"])
def test_t38_fetches_of_one_url_and_searches_of_one_query_keep_the_newest(call: str, format: str) -> None:
    sent = acp(
        f"1 {call} -> <40 lines of a>\n2 {call}/other -> <40 lines>\n3 {call} -> <40 lines of b>\n4 ...", format
    )
    assert sent.goes("1")
    assert sent.stays("2", "3")


@in_formats("opencode")
def test_t38_a_url_is_the_same_in_another_format(format: str) -> None:
    first, again = (json.dumps({"url": "https://example.org/a", "format": kind}) for kind in ("markdown", "text"))
    text = f"1 call webfetch {first} -> <40 lines>\n2 call webfetch {again} -> <40 lines of b>\n3 ..."
    sent = acp(text, format)
    assert sent.result("1") == "[auto-superseded: the same address or query was fetched again later]"
    assert acp(text, format, **without("pruneSourceUrls")).stays("1")


# 4. State query supersede, t39


@every_format
@pytest.mark.parametrize(
    "command",
    ["ls", "ls src", "find . -name x", "pwd", "git status", "git branch", "git log", "tree", "tree src"],
)
def test_t39_a_state_query_keeps_only_the_latest(command: str, format: str) -> None:
    sent = acp(
        f"1 shell {command} -> <40 lines of a>\n2 shell make -> <40 lines>\n3 shell {command} -> <40 lines>\n4 ...",
        format,
    )
    assert sent.goes("1")
    assert sent.stays("2", "3")


@every_format
def test_t39_another_query_is_another_question(format: str) -> None:
    sent = acp("1 shell ls src -> <40 lines of a>\n2 shell ls tests -> <40 lines>\n3 ...", format)
    assert sent.stays("1", "2")


@in_formats("opencode", "anthropic_messages")
def test_t39_a_query_is_the_same_however_it_is_described(format: str) -> None:
    name = "bash" if format == "opencode" else "Bash"
    first, again = (json.dumps({"command": "git status", "description": words}) for words in ("Look", "Look again"))
    text = f"1 call {name} {first} -> <40 lines>\n2 call {name} {again} -> <40 lines of b>\n3 ..."
    assert acp(text, format).result("1") == "[auto-superseded: the same command was run again later]"
    assert acp(text, format, **without("stateQuerySupersede")).stays("1")


# 5. Snapshot auto-supersede, t40


@every_format
def test_t40_only_the_latest_snapshot_is_retained(format: str) -> None:
    text = "1 snapshot -> <40 lines of a>\n2 snapshot -> <40 lines of b>\n3 snapshot -> <40 lines of c>\n4 ..."
    sent = acp(text, format)
    assert sent.goes("1", "2")
    assert sent.stays("3")


# 6. Retry auto-prune, t41


@every_format
def test_t41_failed_attempts_go_once_the_same_call_succeeds(format: str) -> None:
    text = (
        "1 shell make -> error: Error: failed\\n<40 lines>\n"
        "2 shell make -> error: Error: failed\\n<40 lines of b>\n"
        "3 shell make -> <40 lines of c>\n4 ..."
    )
    sent = acp(text, format)
    assert sent.result("1") == sent.result("2") == "[auto-superseded: it failed, and the same call succeeded later]"
    assert sent.stays("3")
    assert acp(text, format, **without("pruneRetryParts")).stays("1", "2")


@every_format
def test_t41_other_arguments_cure_nothing(format: str) -> None:
    sent = acp("1 shell make a -> error: Error: failed\\n<40 lines>\n2 shell make b -> <40 lines>\n3 ...", format)
    assert sent.stays("1")


# 7. File part masking, t42


@every_format
@pytest.mark.parametrize(("kind", "name"), [("image", "shot.png"), ("document", "plan.pdf")])
def test_t42_attachments_are_masked_with_breadcrumbs(kind: str, name: str, format: str) -> None:
    sent = send(f"user: Look. <{kind} {name} 40KB>\n1-6 ...", format, "acp")
    assert "[File: " in sent.user(1) and "40KB]" in sent.user(1)
    assert "Look." in sent.user(1)


# 8. User code block truncation, t43


@every_format
def test_t43_code_blocks_older_than_five_turns_are_truncated(format: str) -> None:
    code = "user: Fix this:\\n```typescript\\n<15 lines>\\n```\\nKeep the names.\n"
    sent = send(f"{code}1-6 ...", format, "acp")
    note = "[Code block: typescript, 15 lines - truncated to save context]"
    assert sent.user(1) == f"Fix this:\n{note}\nKeep the names."
    assert "```typescript" in send(f"{code}1-5 ...", format, "acp").user(1)
    assert "```typescript" in send(f"{code}1-6 ...", format, "acp", **without("pruneUserCodeBlocks")).user(1)


def test_t43_lines_may_end_as_in_windows() -> None:
    messages = [{"role": "user", "content": "Fix this:\r\n```ts\r\n" + "let a = 1;\r\n" * 15 + "```\r\nKeep it."}]
    for n in range(6):
        messages += [{"role": "assistant", "content": f"{n}"}, {"role": "user", "content": f"{n}"}]
    note = "[Code block: ts, 15 lines - truncated to save context]"
    shown = prune(messages, Settings(preset="acp")).body
    assert shown[0]["content"] == f"Fix this:\r\n{note}\r\nKeep it."


# 9. Error output truncation, t44


@in_formats("anthropic_messages", "gemini", "opencode")
def test_t44_errors_older_than_three_turns_keep_their_first_line(format: str) -> None:
    error = "Error: Something failed\\nStack trace:\\n  at /path/file.ts:123\\n<20 lines>"
    text = f"1 shell make -> error: {error}\n"
    sent = acp(f"{text}2-5 ...", format)
    total = len(acp(text, format).result("1"))
    assert sent.result("1") == f"Error: Something failed\n[Error output truncated - {total} chars total]"
    assert acp(f"{text}2-4 ...", format).stays("1")
    assert acp(f"{text}2-5 ...", format, **without("truncateOldErrors")).stays("1")


# 10. One-file-one-view, t36


@every_format
def test_t36_any_operation_supersedes_all_before_it_on_the_same_file(format: str) -> None:
    text = (
        "1 read config.json -> <40 lines of a>\n2 ...\n3 read config.json -> <40 lines of b>\n4 ...\n"
        "5 write config.json <40 lines of c> -> <9 lines>\n6 ...\n7 read config.json -> <40 lines of c>\n8 ..."
    )
    sent = acp(text, format)
    assert sent.goes("1", "3", "5")
    assert sent.stays("7")


@every_format
def test_t36_without_the_switch_a_read_supersedes_no_write(format: str) -> None:
    text = "1 write config.json <40 lines of c> -> <9 lines>\n2 read config.json -> <40 lines of c>\n3 ..."
    assert acp(text, format, **without("aggressiveFilePrune")).stays("1")


# Configuration


def test_all_ten_are_on_by_default_and_each_can_be_turned_off() -> None:
    running = {strategy.name for strategy in Settings.preset("acp").active_strategies()}
    assert set(AGGRESSIVE.values()) <= running
    assert len(AGGRESSIVE) == 10
    for switch, name in AGGRESSIVE.items():
        settings = Settings(preset="acp", **without(switch))
        assert name not in {strategy.name for strategy in settings.active_strategies()}
    assert set(AGGRESSIVE.values()) <= {owner.name for owner in ALL}


# Compaction awareness, t45


@in_formats("opencode")
def test_t45_what_the_host_has_compacted_is_left_alone(format: str) -> None:
    text = "1 read a.ts -> (compacted) <40 lines>\n2 read a.ts -> <40 lines>\n3 read a.ts -> <40 lines>\n4 ..."
    sent = acp(text, format)
    assert sent.stays("1")
    assert sent.goes("2")


# State persistence


@every_format
def test_decisions_survive_a_restart(format: str, tmp_path: Path) -> None:
    """Whatever was tracked is found again from the history, and the store keeps what was cut."""
    text = (
        "1 shell git status -> <40 lines of a>\n2 shell make -> error: Error: failed\\n<40 lines>\n"
        "3 shell git status -> <40 lines of b>\n4 shell make -> <40 lines>\n5 snapshot -> <40 lines of a>\n"
        "6 snapshot -> <40 lines of b>\n7 ..."
    )
    sent = acp(text, format)
    raw = json.dumps(sent.body.json).encode()
    settings = Settings(preset="acp")
    url = f"sqlite:///{tmp_path}/prunus.db"
    for _ in range(2):
        store = open_store(url)
        outcome = Pruner(settings, memory=store.memory("")).prune(raw, format=format)
        store.close()
        assert outcome.body == sent.outcome.body


# Impact


@every_format
def test_about_half_of_a_session_with_all_ten_kinds_of_bloat_goes(format: str) -> None:
    turns = []
    for n in range(1, 31):
        match n % 6:
            case 0:
                turns.append(f"{n} write src/app.py <60 lines of {n}> -> ok")
            case 1:
                turns.append(f"{n} shell git status -> <30 lines of {n}>")
            case 2:
                turns.append(f"{n} snapshot -> <40 lines of {n}>")
            case 3:
                turns.append(f"{n} shell npm test {n} -> <60 lines of {n}>")
            case _:
                turns.append(f"{n} read src/app.py -> <60 lines of {n}>")
    sent = acp("\n".join([*turns, "31 ..."]), format)
    assert len(sent.outcome.body) < 0.5 * len(json.dumps(sent.body.json))
    assert prune(json.dumps(sent.body.json).encode(), Settings(preset="acp"), format=format).report.saved > 0
