"""The places of calls in messages and answers, including malformed ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus.json.splice import splice
from prunus.providers import api_named

GIVEN = {"path": "/a", "text": "é"}
WRITTEN = json.dumps(GIVEN)
MESSAGES: dict[str, Any] = {
    "anthropic_messages": {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Now."},
            {"type": "tool_use", "id": "t1", "name": "Edit", "input": GIVEN},
            {"type": "tool_use", "id": "t2", "name": "Edit", "input": GIVEN},
        ],
    },
    "openai_chat": {
        "role": "assistant",
        "tool_calls": [
            {"id": "t1", "function": {"name": "Edit", "arguments": WRITTEN}},
            {"id": "t2", "function": {"name": "Edit", "arguments": WRITTEN}},
        ],
    },
    "gemini": {
        "role": "model",
        "parts": [
            {"text": "Now."},
            {"functionCall": {"id": "t1", "name": "Edit", "args": GIVEN}},
            {"function_call": {"name": "Edit", "args": GIVEN}},
        ],
    },
}


@pytest.mark.parametrize("format", MESSAGES)
def test_two_calls_of_a_message_are_found_where_they_stand(format: str) -> None:
    message = MESSAGES[format]
    found = list(api_named(format).calls_of(message))
    assert [(site.tool, json.loads(site.text)) for site in found] == [("Edit", GIVEN)] * 2
    # What is written there is read again at the same place, and nowhere else.
    raw = splice(json.dumps(message).encode(), {found[1].path: found[1].written('{"path": "/b"}')})
    after = list(api_named(format).calls_of(json.loads(raw)))
    assert [json.loads(site.text) for site in after] == [GIVEN, {"path": "/b"}]


def test_the_ids_are_those_of_the_provider_but_for_gemini() -> None:
    for format, ids in {
        "anthropic_messages": ["t1", "t2"],
        "openai_chat": ["t1", "t2"],
        "gemini": ["", ""],
    }.items():
        assert [site.id for site in api_named(format).calls_of(MESSAGES[format])] == ids


@pytest.mark.parametrize(
    ("format", "message"),
    [
        ("anthropic_messages", "text"),
        ("anthropic_messages", {"content": "text"}),
        ("anthropic_messages", {"content": [None, 3, {"type": "tool_use", "input": "text"}]}),
        ("anthropic_messages", {"content": [{"type": "server_tool_use", "input": {}}]}),
        ("openai_chat", {"tool_calls": None}),
        ("openai_chat", {"tool_calls": [{"id": "t1", "type": "custom", "custom": {"name": "x", "input": "y"}}]}),
        ("openai_chat", {"tool_calls": [{"function": {"name": "x"}}, {"function": "x"}]}),
        ("openai_responses", {"type": "custom_tool_call", "input": "x"}),
        ("openai_responses", {"type": "function_call", "arguments": {"not": "a text"}}),
        ("gemini", {"parts": [{"functionCall": {"name": "x"}}, {"functionCall": None}]}),
    ],
)
def test_a_tool_use_without_an_object_as_input_is_no_call(format: str, message: Any) -> None:
    assert list(api_named(format).calls_of(message)) == []
    assert list(api_named(format).calls_in_answer(message)) == []


def test_a_call_without_id_and_name_is_still_one() -> None:
    [site] = api_named("anthropic_messages").calls_of(
        {"content": [{"type": "tool_use", "id": 7, "name": None, "input": {}}]}
    )
    assert (site.id, site.tool, site.text) == ("", "", "{}")


@pytest.mark.parametrize(
    ("format", "answer", "path"),
    [
        ("openai_chat", {"choices": [{"message": {}}, {"message": MESSAGES["openai_chat"]}]}, ("choices", 1)),
        (
            "openai_responses",
            {"output": ["odd", {"type": "function_call", "call_id": "t1", "name": "Edit", "arguments": WRITTEN}]},
            ("output", 1),
        ),
        ("gemini", {"candidates": [{}, {"content": MESSAGES["gemini"]}]}, ("candidates", 1)),
    ],
)
def test_the_place_in_an_answer_is_counted_from_its_top(format: str, answer: Any, path: tuple[Any, ...]) -> None:
    site = next(api_named(format).calls_in_answer(answer))
    assert site.path[:2] == path
    value = answer
    for step in site.path:
        value = value[step]
    assert value == site.arguments
