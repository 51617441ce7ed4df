"""Cache marks of the Messages API: their lifetime, and the request that only reads the cache."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus.providers import APIS, api_named

ANTHROPIC = api_named("anthropic_messages")
MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}


def body(**more: Any) -> dict[str, Any]:
    return {
        "model": "claude-opus-4-8",
        "max_tokens": 1000,
        "stream": True,
        "tools": [{"name": "a", "input_schema": {"properties": {"cache_control": MARK}}, "cache_control": MARK}],
        "system": [
            {"type": "text", "text": 'Write "cache_control": {"type": "ephemeral"}.', "cache_control": MARK}
        ],
        "messages": [
            {"role": "user", "content": "Hello."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "input": {"cache_control": MARK}}]},
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "1",
                        "content": [{"type": "text", "cache_control": MARK}],
                    },
                    {"type": "text", "text": "Go on.", "cache_control": {**MARK, "scope": "global", "ttl": "5m"}},
                ],
            },
        ],
        **more,
    }


def test_every_mark_gets_the_lifetime_and_nothing_else_changes() -> None:
    sent = json.loads(ANTHROPIC.with_lifetime(json.dumps(body()).encode(), "1h"))
    expected = body()
    expected["tools"][0]["cache_control"] = HOUR
    expected["system"][0]["cache_control"] = HOUR
    [result, words] = expected["messages"][2]["content"]
    result["content"][0]["cache_control"] = HOUR
    words["cache_control"] = {**HOUR, "scope": "global"}
    assert sent == expected


def test_a_cache_mark_of_the_whole_request_gets_the_lifetime() -> None:
    sent = json.loads(ANTHROPIC.with_lifetime(json.dumps({"messages": [], "cache_control": MARK}).encode(), "1h"))
    assert sent["cache_control"] == HOUR


def test_all_other_bytes_stay() -> None:
    block = b'{"text":"\\u00e9\\/","cache_control":{"type":"ephemeral"}}'
    raw = b'{ "messages" : [ {"content":[%b] , "role":"user"} ] }' % block
    assert ANTHROPIC.with_lifetime(raw, "1h") == raw.replace(b'"ephemeral"', b'"ephemeral","ttl":"1h"')


def test_a_request_without_marks_is_the_same_object() -> None:
    raw = b'{"messages":[]}'
    assert ANTHROPIC.with_lifetime(raw, "1h") is raw


def test_a_request_that_reads_the_cache_asks_for_no_answer() -> None:
    raw = json.dumps(body(thinking={"type": "adaptive"})).encode()
    reading = ANTHROPIC.cache_reading(raw)
    assert reading is not None
    assert reading == raw.replace(b'"max_tokens": 1000, "stream": true,', b'"max_tokens": 0,')


@pytest.mark.parametrize(
    "more",
    [
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        {"tool_choice": {"type": "any"}},
        {"tool_choice": {"type": "tool", "name": "a"}},
        {"output_config": {"format": {"type": "json_schema"}}},
    ],
)
def test_no_cache_reading_request_is_made_that_the_provider_would_refuse(more: dict[str, Any]) -> None:
    assert ANTHROPIC.cache_reading(json.dumps(body(**more)).encode()) is None


def test_no_cache_reading_request_is_made_without_cache_marks() -> None:
    assert ANTHROPIC.cache_reading(b'{"max_tokens":5,"messages":[]}') is None


def test_an_answer_is_finished_where_the_model_calls_no_tool() -> None:
    assert ANTHROPIC.finishes_turn({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    assert ANTHROPIC.finishes_turn({"type": "message", "stop_reason": "stop_sequence"})
    for reason in (None, "tool_use", "max_tokens", "pause_turn", "refusal"):
        assert not ANTHROPIC.finishes_turn({"type": "message_delta", "delta": {"stop_reason": reason}})


@pytest.mark.parametrize("api", [api for api in APIS if api is not ANTHROPIC], ids=lambda api: api.name)
def test_other_providers_have_no_lifetimes(api: Any) -> None:
    raw = json.dumps(body()).encode()
    assert api.lifetimes == ()
    assert api.with_lifetime(raw, "1h") is raw
    assert api.cache_reading(raw) is None
    assert not api.finishes_turn({"stop_reason": "end_turn"})
