"""Which requests the proxy prunes."""

import json
from pathlib import Path
from typing import Any

import pytest

from prunus.errors import FormatError
from prunus.proxy.envelope import read_envelope
from tests.proxy.talk import BODIES, body, steps

SAMPLES = Path(__file__).parents[3] / "shared" / "wire-samples"
SUMMARY = "CRITICAL: Do NOT call any tools.\nYour task is to create a detailed summary of the conversation so far."


@pytest.mark.parametrize("format", BODIES)
def test_a_request_with_tools_is_pruned(format: str) -> None:
    seen = read_envelope(body(format), format)
    assert seen.skip == ""


@pytest.mark.parametrize("format", BODIES)
@pytest.mark.parametrize("tools", [[], None])
def test_nothing_new_is_cut_in_a_request_without_tools(format: str, tools: Any) -> None:
    request = BODIES[format](steps())
    assert read_envelope(json.dumps({**request, "tools": tools}).encode(), format).hold == "no tools"
    del request["tools"]
    assert read_envelope(json.dumps(request).encode(), format).hold == "no tools"


def test_tools_may_stand_in_the_history() -> None:
    request = BODIES["openai_responses"](steps())
    tools = {"type": "additional_tools", "role": "developer", "tools": request.pop("tools")}
    request["input"].insert(0, tools)
    assert read_envelope(json.dumps(request).encode(), "openai_responses").hold == ""


def test_a_history_that_the_provider_holds_passes() -> None:
    assert read_envelope(body("openai_responses", previous_response_id="r1"), "openai_responses").skip
    assert not read_envelope(body("openai_responses", previous_response_id=None), "openai_responses").skip


@pytest.mark.parametrize("last", [SUMMARY, [{"type": "text", "text": "x"}, {"type": "text", "text": SUMMARY}]])
def test_nothing_new_is_cut_in_a_compaction_with_tools(last: Any) -> None:
    request = BODIES["anthropic_messages"](steps())
    request["messages"].append({"role": "user", "content": last})
    assert (
        read_envelope(json.dumps(request).encode(), "anthropic_messages").hold
        == "a summary of the history is asked for"
    )


@pytest.mark.parametrize(
    ("last", "held"),
    [
        ({"type": "compaction_trigger"}, True),
        ({"type": "message", "role": "user", "content": "What is a compaction_trigger?"}, False),
    ],
)
def test_nothing_new_is_cut_where_the_provider_is_to_compact(last: Any, held: bool) -> None:
    request = BODIES["openai_responses"](steps())
    request["input"].append(last)
    assert bool(read_envelope(json.dumps(request).encode(), "openai_responses").hold) is held


def test_the_words_of_a_compaction_in_a_result_mean_nothing() -> None:
    history = [*steps(), ("Read", {"file_path": "prompts.md"}, SUMMARY)]
    assert not read_envelope(json.dumps(BODIES["anthropic_messages"](history)).encode(), "anthropic_messages").hold


def test_the_prompt_is_the_same_when_cache_markers_move() -> None:
    request = BODIES["anthropic_messages"](steps())
    marked = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    plain = read_envelope(
        json.dumps({**request, "system": [{"type": "text", "text": "Be brief."}]}).encode(), "anthropic_messages"
    )
    one = read_envelope(json.dumps({**request, "system": marked}).encode(), "anthropic_messages")
    two = read_envelope(
        json.dumps({**request, "system": [{**marked[0], "cache_control": None}]}).encode(), "anthropic_messages"
    )
    assert (
        one.prompt
        == two.prompt
        != read_envelope(body("anthropic_messages", system="Other."), "anthropic_messages").prompt
    )
    assert one.lifetime == "1h"
    assert plain.lifetime is None


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b'{"a": \xff}', b"nothing"])
def test_a_body_that_is_no_json_object_has_no_envelope(raw: bytes) -> None:
    with pytest.raises(FormatError):
        read_envelope(raw, "openai_chat")


@pytest.mark.skipif(not SAMPLES.exists(), reason="the wire samples are not here")
@pytest.mark.parametrize(
    ("file", "run", "number", "hold"),
    [
        ("claude-code", "claude-sub", 7, "a summary of the history is asked for"),
        ("claude-code", "claude-sub", 8, "a summary of the history is asked for"),
        ("claude-code", "claude-sub", 6, ""),
        ("claude-code", "claude-sub", 9, ""),
        ("claude-code", "claude", 10, ""),
        ("qwen-code", "mcp-qwen", 2, "a summary of the history is asked for"),
        ("qwen-code", "qwen", 10, ""),
        ("opencode-chat", "oc-compact", 8, "no tools"),
        ("opencode-chat", "opencode-openai", 1, "no tools"),
        ("aider", "aider2", 1, "no tools"),
        ("codex-codemode", "codex-gpt6", 2, ""),
        ("codex", "codex-gpt55", 13, ""),
        ("gemini-cli", "gemini", 12, ""),
    ],
)
def test_side_requests_of_real_clients_are_recognised(file: str, run: str, number: int, hold: str) -> None:
    formats = {"/messages": "anthropic_messages", "/completions": "openai_chat", "/responses": "openai_responses"}
    for line in (SAMPLES / f"{file}.jsonl").read_text(encoding="utf-8").splitlines():
        sample = json.loads(line)
        if (sample["run"], sample["n"]) == (run, number):
            path = sample["path"].partition("?")[0]
            format = next((name for end, name in formats.items() if path.endswith(end)), "gemini")
            raw = json.dumps(sample["body"], ensure_ascii=False).encode()
            assert read_envelope(raw, format).hold == hold
            return
    raise AssertionError("no such sample")
