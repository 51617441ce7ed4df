"""Half of a surrogate pair, wherever it stands, is read and leaves as it came."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import Settings, prune
from prunus.json.surrogates import decode, encode, exact, mend_surrogates
from prunus.providers import frame

FORMATS = {
    "anthropic_messages": "messages", "openai_chat": "messages", "openai_responses": "input", "gemini": "contents",
}  # fmt: skip
EAGER = Settings(schedule="eager")
every_format = pytest.mark.parametrize("format", FORMATS)
texts = st.text(st.sampled_from(["a", "\\", "u", "d", "8", '"', "\n", "\ud83d", "\ude00", "\ud800", "\udfff"]))


def request(format: str, half: str = "") -> Any:
    """A read that a later write makes stale; `half` stands in the question and behind the text of each result."""
    text = "def greet(name):\n    return 'hello'\n" * 40
    read, write = {"file_path": "/srv/a.py"}, {"file_path": "/srv/a.py", "content": text.upper()}
    question, done = f"Go on {half}", f"The file has been updated.{half}"
    steps = [("Read", read, text + half), ("Write", write, done)]
    match format:
        case "openai_responses":
            items: list[Any] = [{"role": "user", "content": question}]
            for at, (tool, given, result) in enumerate(steps):
                call = {"type": "function_call", "call_id": f"t{at}", "name": tool, "arguments": json.dumps(given)}
                items += [call, {"type": "function_call_output", "call_id": f"t{at}", "output": result}]
            return {"model": "gpt-5", "input": [*items, {"role": "user", "content": "and then?"}]}
        case "gemini":
            contents: list[Any] = [{"role": "user", "parts": [{"text": question}]}]
            for tool, given, result in steps:
                answer = {"functionResponse": {"name": tool, "response": {"output": result}}}
                made = {"role": "model", "parts": [{"functionCall": {"name": tool, "args": given}}]}
                contents += [made, {"role": "user", "parts": [answer]}]
            return {"contents": contents}
    messages: list[Any] = [{"role": "user", "content": question}]
    for at, (tool, given, result) in enumerate(steps):
        if format == "openai_chat":
            call = {"id": f"t{at}", "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
            messages += [{"role": "assistant", "content": None, "tool_calls": [call]}]
            messages += [{"role": "tool", "tool_call_id": f"t{at}", "content": result}]
        else:
            call = {"type": "tool_use", "id": f"t{at}", "name": tool, "input": given}
            answer = {"type": "tool_result", "tool_use_id": f"t{at}", "content": result}
            messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    return {"model": "m", "messages": messages}


@given(texts)
def test_every_half_is_read_as_the_replacement_character(text: str) -> None:
    raw = json.dumps(text).encode()
    assert len(mend_surrogates(raw)) == len(raw)
    assert decode(raw) == re.sub("[\ud800-\udfff]", "\ufffd", json.loads(raw))
    assert exact(raw) == json.loads(raw)


@given(texts)
def test_written_json_equals_the_given_value(text: str) -> None:
    assert json.loads(encode({"a": [text, {text: 1.5}]})) == json.loads(json.dumps({"a": [text, {text: 1.5}]}))


@pytest.mark.parametrize("raw", [b'"\\ud800', b"{", rb'"\ud8zz"', rb'"\x"', b'["\xff", "\\ud800"]'])
def test_invalid_json_stays_invalid(raw: bytes) -> None:
    for read in (decode, exact):
        with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
            read(raw)


@every_format
@pytest.mark.parametrize("half", ["\ud800", "\udc00", "\U0001f600\ud83d"])
def test_a_request_with_a_half_is_pruned_like_one_without(format: str, half: str) -> None:
    plain, body = request(format), json.dumps(request(format, half)).encode()
    found = prune(body, EAGER)
    assert found.error is None
    assert [edit.target for edit in found.edits] == [edit.target for edit in prune(plain, EAGER).edits] != []
    before, after = frame(body), frame(found.body)
    touched = {edit.target.message for edit in found.edits}
    assert [after.raw(i) for i in range(len(after)) if i not in touched] == [
        before.raw(i) for i in range(len(before)) if i not in touched
    ]


@every_format
def test_objects_with_lone_surrogates_keep_them(format: str) -> None:
    body = request(format, "\ud83d")
    found = prune(body, EAGER)
    assert found.error is None
    touched = {edit.target.message for edit in found.edits}
    field = FORMATS[format]
    assert touched
    for at, message in enumerate(body[field]):
        assert (found.body[field][at] == message) is (at not in touched)


def test_an_edited_message_keeps_the_halves_beside_the_edit() -> None:
    body = request("anthropic_messages")
    body["messages"][2]["content"].append({"type": "text", "text": "by the way \ud83d"})
    for sent in (body, json.dumps(body).encode()):
        found = prune(sent, EAGER)
        assert [edit.target.message for edit in found.edits] == [2]
        after = json.loads(found.body) if isinstance(found.body, bytes) else found.body
        assert after["messages"][2]["content"][-1] == {"type": "text", "text": "by the way \ud83d"}
        assert "def greet" not in json.dumps(after["messages"][2])


def test_a_key_with_a_half_is_stepped_over() -> None:
    body = request("anthropic_messages")
    body["messages"][2]["content"][0] = {"\ud83d": 1, **body["messages"][2]["content"][0]}
    raw = json.dumps(body).encode()
    found = prune(raw, EAGER)
    assert found.error is None
    assert rb'{"\ud83d": 1, "type": "tool_result"' in found.body
    assert len(found.body) < len(raw) - 1000
