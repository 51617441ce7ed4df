"""Chat Completions as OpenCode, Qwen Code, pi, mini-swe-agent and reasoning models send it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus.history import Attachment, Call, Message, Opaque, Result, Text, Thinking
from prunus.providers import parse, provider_named

URL = "data:image/png;base64,iVBORw0KGgo="


def message(value: dict[str, Any]) -> Message:
    return parse(provider_named("openai_chat"), json.dumps(value).encode(), 0)


def called(**function: Any) -> Message:
    return message(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        }
    )


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("system", "system"),
        ("developer", "system"),
        ("user", "user"),
        ("assistant", "assistant"),
        ("tool", "tool"),
        ("function", "tool"),
    ],
)
def test_each_role_is_mapped(role: str, expected: str) -> None:
    assert message({"role": role, "content": "x"}).role == expected


def test_only_the_user_speaks() -> None:
    assert message({"role": "user", "content": "x"}).spoken
    assert not message({"role": "tool", "tool_call_id": "c", "content": "x"}).spoken


def test_content_as_text_or_as_parts_reads_the_same() -> None:
    listed = message({"role": "user", "content": [{"type": "text", "text": "Hi"}]})
    assert listed.parts == message({"role": "user", "content": "Hi"}).parts == (Text("Hi"),)


def test_images_audio_and_files_are_attachments() -> None:
    content = [
        {"type": "image_url", "image_url": {"url": URL, "detail": "high"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
    ]
    assert message({"role": "user", "content": content}).parts == (
        Attachment("image_url", "image/png", 12),
        Attachment("https://example.org/a.png", "image_url", 0),
        Attachment("input_audio", "audio/wav", 8),
        Attachment("a.pdf", "application/pdf", 8),
    )


def test_arguments_are_read_from_their_string() -> None:
    assert called(name="read", arguments='{"filePath": "/a"}').parts == (
        Call("c1", "read", {"filePath": "/a"}, '{"filePath": "/a"}', quoted=True),
    )


@pytest.mark.parametrize("arguments", ['{"filePath": "/a', "", "[1]", "null", '"x"'])
def test_arguments_that_are_no_object_stay_a_string(arguments: str) -> None:
    part = called(name="read", arguments=arguments).parts[0]
    assert isinstance(part, Call)
    assert part.input == arguments


def test_arguments_that_travel_as_an_object_are_read_too() -> None:
    part = called(name="read", arguments={"filePath": "/a"}).parts[0]
    assert isinstance(part, Call)
    assert (part.input, part.quoted) == ({"filePath": "/a"}, False)


def test_parallel_calls_keep_their_order() -> None:
    calls = [{"id": f"c{i}", "type": "function", "function": {"name": "read", "arguments": "{}"}} for i in range(3)]
    parts = message({"role": "assistant", "content": "", "tool_calls": calls}).parts
    assert [part.id for part in parts if isinstance(part, Call)] == ["c0", "c1", "c2"]


def test_custom_calls_carry_plain_text() -> None:
    call = {"id": "c1", "type": "custom", "custom": {"name": "apply_patch", "input": "*** Begin Patch"}}
    assert message({"role": "assistant", "tool_calls": [call]}).parts == (
        Call("c1", "apply_patch", "*** Begin Patch", "*** Begin Patch"),
    )


def test_the_legacy_call_and_its_answer_share_an_empty_id() -> None:
    asked = message({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}})
    answered = message({"role": "function", "name": "f", "content": "done"})
    assert asked.parts == (Call("", "f", {}, "{}", quoted=True),)
    assert answered.parts == (Result("", "done"),)


def test_a_result_as_text_or_as_parts_reads_the_same() -> None:
    text = message({"role": "tool", "tool_call_id": "c1", "content": "done"})
    listed = message({"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "done"}]})
    assert text.parts == listed.parts == (Result("c1", "done"),)


def test_an_image_inside_a_result_belongs_to_it() -> None:
    content = [{"type": "text", "text": "a shot"}, {"type": "image_url", "image_url": {"url": URL}}]
    assert message({"role": "tool", "tool_call_id": "c1", "content": content}).parts == (
        Result("c1", "a shot"),
        Attachment("image_url", "image/png", 12, inside=0),
    )


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_fields_are_required_thinking(key: str) -> None:
    read = message({"role": "assistant", key: "Hm.", "content": "Yes."})
    assert read.parts == (Thinking("Hm.", required=True), Text("Yes."))


def test_reasoning_that_is_null_or_structured_is_not_thinking() -> None:
    read = message(
        {"role": "assistant", "reasoning": None, "reasoning_details": [{"type": "x"}], "content": "Yes."}
    )
    assert read.parts == (Text("Yes."),)


def test_odd_values_are_left_alone() -> None:
    parts = message(
        {"role": "assistant", "content": [None, {"type": "future"}], "tool_calls": [None, {"id": 1}]}
    ).parts
    assert len(parts) == 4
    assert all(isinstance(part, Opaque) for part in parts)


def test_a_result_without_content_is_empty() -> None:
    assert message({"role": "tool", "tool_call_id": "c1"}).parts == (Result("c1", ""),)
    assert message({"role": "tool", "tool_call_id": "c1", "content": None}).parts == (Result("c1", ""),)


@pytest.mark.parametrize(
    ("beside", "within"),
    [
        ({"extra_content": {"google": {"thought_signature": "c2ln"}}}, {}),
        ({"provider_specific_fields": {"thought_signature": "c2ln"}}, {}),
        ({}, {"provider_specific_fields": {"thought_signature": "c2ln"}}),
    ],
)
def test_a_call_that_gemini_signed_is_fixed(beside: dict[str, Any], within: dict[str, Any]) -> None:
    function = {"name": "f", "arguments": "{}", **within}
    calls = [{"id": "c1", "type": "function", "function": function, **beside}]
    (part,) = message({"role": "assistant", "content": None, "tool_calls": calls}).parts
    assert part == Call("c1", "f", {}, "{}", quoted=True, fixed=True)


def test_signatures_in_openrouters_details_fix_the_calls_beside_them() -> None:
    details = [{"type": "reasoning.encrypted", "data": "x", "id": "c1", "format": "google-gemini-v1"}]
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"about":"thought_signature"}'}}
    ]
    plain = message({"role": "assistant", "content": None, "tool_calls": calls}).parts[0]
    signed = message(
        {"role": "assistant", "content": None, "tool_calls": calls, "reasoning_details": details}
    ).parts[0]
    assert isinstance(plain, Call)
    assert isinstance(signed, Call)
    assert (plain.fixed, signed.fixed) == (False, True)


@pytest.mark.parametrize("key", ["reasoning_details", "thinking_blocks"])
def test_reasoning_stays_beside_its_details(key: str) -> None:
    read = message({"role": "assistant", "content": "x", "reasoning": "Hm.", key: [{"text": "Hm."}]})
    assert read.parts[0] == Thinking("Hm.", required=True, fixed=True)
