"""Which content of a message every copy of the message shares."""

from __future__ import annotations

from typing import Any

import pytest

from prunus.agent.steps import stable_content
from prunus.providers import api_named


@pytest.mark.parametrize(
    ("item", "models"),
    [
        ({"type": "function_call", "call_id": "c"}, True),
        ({"type": "local_shell_call"}, True),
        ({"type": "reasoning"}, True),
        ({"type": "message", "role": "assistant"}, True),
        ({"role": "assistant", "content": "an old client sends no type"}, True),
        ({"type": "function_call_output", "output": "x"}, False),
        ({"type": "message", "role": "user"}, False),
        ({"role": "developer"}, False),
        ({"type": "compaction"}, False),
        ({}, False),
    ],
)
def test_the_type_of_a_responses_item_tells_whether_the_model_wrote_it(item: dict[str, Any], models: bool) -> None:
    assert api_named("openai_responses").by_model(item) is models


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
CALL = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"a": 1, "b": 2}}
MADE = {"id": "t1", "type": "function", "function": {"name": "read", "arguments": '{"a": 1, "b": 2}'}}
AGAIN = {"id": "t1", "type": "function", "function": {"name": "read", "arguments": '{"b":2,"a":1}'}}
ITEM = {
    "type": "function_call",
    "id": "fc_1",
    "status": "completed",
    "call_id": "c",
    "name": "f",
    "arguments": "{}",
}
PART = {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "s"}


@pytest.mark.parametrize(
    ("format", "one", "other"),
    [
        ("anthropic_messages", {"content": "Yes. "}, {"content": [THOUGHT, {"type": "text", "text": " Yes."}]}),
        ("anthropic_messages", {"content": [CALL]}, {"content": [{**CALL, "input": {"b": 2, "a": 1}}, THOUGHT]}),
        ("openai_chat", {"content": None, "tool_calls": [MADE]}, {"reasoning": "hm", "tool_calls": [AGAIN]}),
        ("openai_responses", ITEM, {key: ITEM[key] for key in ("type", "arguments", "name", "call_id")}),
        ("openai_responses", {"type": "reasoning", "id": "rs"}, {"type": "reasoning", "encrypted_content": "x"}),
        (
            "gemini",
            {"parts": [PART]},
            {"parts": [{"text": "hm", "thought": True}, {"functionCall": PART["functionCall"]}]},
        ),
    ],
)
def test_copies_of_one_message_say_the_same(format: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    assert stable_content(api_named(format), one) == stable_content(api_named(format), other)


@pytest.mark.parametrize(
    ("format", "one", "other"),
    [
        ("anthropic_messages", {"content": "Yes."}, {"content": "No."}),
        ("anthropic_messages", {"content": [CALL]}, {"content": [{**CALL, "id": "t2"}]}),
        (
            "openai_chat",
            {"tool_calls": [MADE]},
            {"tool_calls": [{**MADE, "function": {"name": "x", "arguments": "{}"}}]},
        ),
        ("openai_responses", ITEM, {**ITEM, "arguments": '{"a": 1}'}),
        (
            "openai_responses",
            {"type": "custom_tool_call", "input": "a"},
            {"type": "custom_tool_call", "input": "b"},
        ),
        ("gemini", {"parts": [PART]}, {"parts": [{"functionCall": {"name": "f", "args": {}}}]}),
    ],
)
def test_different_messages_differ_in_their_stable_content(
    format: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert stable_content(api_named(format), one) != stable_content(api_named(format), other)
