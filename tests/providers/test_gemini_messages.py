"""generateContent as Gemini CLI sends it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus.history import Attachment, Call, Message, Opaque, Result, Text, Thinking
from prunus.providers import parse, provider_named


def content(role: str, *parts: Any) -> Message:
    return parse(provider_named("gemini"), json.dumps({"role": role, "parts": parts}).encode(), 0)


def response(value: Any) -> Result:
    part = content("user", {"functionResponse": {"name": "f", "id": "i1", "response": value}}).parts[0]
    assert isinstance(part, Result)
    return part


def test_only_text_of_the_user_counts_as_spoken() -> None:
    assert content("user", {"text": "Hi"}).spoken
    assert not content("user", {"functionResponse": {"name": "f", "response": {"output": "x"}}}).spoken
    assert content("function", {"functionResponse": {"name": "f", "response": {"output": "x"}}}).role == "tool"


def test_calls_keep_their_order_and_ids() -> None:
    calls = [
        {"functionCall": {"name": "read_file", "args": {"file_path": f"{i}"}, "id": f"i{i}"}} for i in range(2)
    ]
    assert content("model", {"text": "Now."}, *calls).parts == (
        Text("Now."),
        Call("i0", "read_file", {"file_path": "0"}, '{"file_path":"0"}'),
        Call("i1", "read_file", {"file_path": "1"}, '{"file_path":"1"}'),
    )


def test_a_signed_call_is_fixed() -> None:
    part = content("model", {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "c2ln"}).parts[0]
    assert isinstance(part, Call)
    assert part.fixed


def test_a_call_without_arguments_has_nothing_to_lose() -> None:
    part = content("model", {"functionCall": {"name": "f"}}).parts[0]
    assert isinstance(part, Call)
    assert (part.input, part.fixed) == ({}, True)


def test_thoughts_are_thinking_and_bound_by_a_signature() -> None:
    thoughts = [{"text": "Hm.", "thought": True}, {"text": "Hm.", "thought": True, "thoughtSignature": "c2ln"}]
    assert content("model", *thoughts).parts == (Thinking("Hm."), Thinking("Hm.", hidden=4, fixed=True))


@pytest.mark.parametrize(
    ("key", "failed"), [("output", False), ("error", True), ("content", False), ("result", False)]
)
def test_an_answer_in_one_field_is_its_text(key: str, failed: bool) -> None:
    assert response({key: "done"}) == Result("i1", "done", error=failed)


def test_a_response_with_several_fields_is_their_json() -> None:
    assert response({"output": "done", "exitCode": 0}) == Result(
        "i1", '{"output":"done","exitCode":0}', error=False
    )


def test_files_are_attachments() -> None:
    parts = content(
        "user",
        {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}},
        {"fileData": {"mimeType": "application/pdf", "fileUri": "files/x"}},
    ).parts
    assert parts == (Attachment("file", "image/png", 12), Attachment("files/x", "application/pdf", 0))


def test_unknown_parts_are_left_alone() -> None:
    parts = content("model", {"executableCode": {"code": "1"}}, {"future": 1}, None, 3).parts
    assert all(isinstance(part, Opaque) for part in parts)
    assert len(parts) == 4


def test_both_spellings_of_the_keys_are_read() -> None:
    call = {"function_call": {"name": "f", "args": {"a": 1}}, "thought_signature": "c2ln"}
    picture = {"inline_data": {"mime_type": "image/png", "data": "AAAA", "display_name": "a.png"}}
    thought = {"text": "Hm.", "thought": True, "thought_signature": "c2ln"}
    assert content("model", call, picture, thought).parts == (
        Call("", "f", {"a": 1}, '{"a":1}', fixed=True),
        Attachment("a.png", "image/png", 4),
        Thinking("Hm.", hidden=4, fixed=True),
    )
    answer = content("user", {"function_response": {"name": "f", "response": {"output": "x"}}})
    assert (answer.parts, answer.spoken) == ((Result("", "x", error=False),), False)
    assert answer.parts[0].at == ("parts", 0, "function_response", "response", "output")


def test_a_signed_picture_of_the_model_is_left_alone() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}, "thoughtSignature": "c2ln"}
    assert isinstance(content("model", picture).parts[0], Opaque)


def test_files_of_an_answer_are_inside_it_and_accept_no_words() -> None:
    files = [{"inlineData": {"mimeType": "image/png", "data": "AAAA", "displayName": "a.png"}}]
    answer = {"functionResponse": {"name": "f", "response": {"output": "x"}, "parts": files}}
    result, picture = content("user", answer).parts
    assert picture == Attachment("a.png", "image/png", 4, inside=0, fixed=True)
    assert isinstance(result, Result)
    assert result.extra == (("parts", 0, "functionResponse", "parts"),)
