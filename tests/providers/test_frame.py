"""Which format a body is in, and where its messages stand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus.errors import FormatError
from prunus.providers import frame, read, resume
from tests.generate.build import sessions
from tests.generate.encode import SPELLINGS, encode
from tests.generate.render import FORMATS, render

HI = {"role": "user", "content": "Hi"}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
}
ITEM = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}


MISTRAL = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}


@pytest.mark.parametrize(
    ("body", "format"),
    [
        ({"system": "x", "messages": [HI]}, "anthropic_messages"),
        ({"anthropic_version": "bedrock-2023-05-31", "messages": [HI]}, "anthropic_messages"),
        ({"model": "claude-opus-5-5", "max_tokens": 9, "messages": [HI]}, "anthropic_messages"),
        ({"tools": [{"name": "f", "input_schema": {}}], "messages": [HI]}, "anthropic_messages"),
        ({"messages": [HI, USE]}, "anthropic_messages"),
        ({"model": "claude-x", "messages": [{"role": "user", "content": "Hi"}, CALL]}, "openai_chat"),
        (
            {
                "model": "anthropic/claude-x",
                "tools": [{"type": "function", "function": {"name": "f"}}],
                "messages": [HI],
            },
            "openai_chat",
        ),
        ({"messages": [HI]}, "openai_chat"),
        ({"messages": [{"role": "system", "content": "x"}, HI]}, "openai_chat"),
        ({"messages": [HI, CALL]}, "openai_chat"),
        ({"messages": [HI, {"role": "assistant", "content": [MISTRAL]}]}, "openai_chat"),
        ({"messages": [{"role": "assistant", "content": "x", "reasoning_content": "y"}]}, "openai_chat"),
        ({"input": [HI]}, "openai_responses"),
        ({"input": [{"type": "additional_tools", "tools": []}, ITEM]}, "openai_responses"),
        ({"contents": [{"parts": [{"text": "Hi"}]}]}, "gemini"),
        ({"info": {}, "messages": [{"info": {"role": "user"}, "parts": []}]}, "opencode"),
        ([{"info": {"role": "user"}, "parts": []}], "opencode"),
        ([{"role": "user", "parts": [{"text": "Hi"}]}], "gemini"),
        ([HI, USE], "anthropic_messages"),
        ([HI, CALL], "openai_chat"),
        ([HI], "openai_chat"),
        ([ITEM], "openai_responses"),
        ([{"type": "message", "role": "user", "content": "Hi"}], "openai_responses"),
        ([HI, ITEM], "openai_responses"),
    ],
)
def test_the_format_is_recognised(body: Any, format: str) -> None:
    assert frame(json.dumps(body).encode()).format.name == format


@pytest.mark.parametrize(
    ("message", "name"), [(HI, "anthropic_messages"), (USE, "anthropic_messages"), (CALL, "openai_chat")]
)
def test_a_system_text_at_the_top_decides_only_where_no_message_does(message: Any, name: str) -> None:
    body = json.dumps({"model": "some-model", "system": "Be brief.", "messages": [HI, message]})
    assert frame(body.encode()).format.name == name


@pytest.mark.parametrize("name", ["anthropic_messages", "openai_chat", "opencode"])
def test_a_format_given_by_name_is_taken(name: str) -> None:
    assert frame(json.dumps({"messages": [HI]}).encode(), name).format.name == name
    assert frame(json.dumps([HI]).encode(), name).format.name == name


def test_a_format_given_by_name_needs_its_own_list() -> None:
    with pytest.raises(FormatError, match="contents"):
        frame(json.dumps({"messages": [HI]}).encode(), "gemini")


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(FormatError, match="anthropic_messages"):
        frame(b"[]", "anthropic")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"x",
        b"3",
        b'"x"',
        b"{",
        b'{"messages": 3}',
        b'{"messages": {}}',
        b'{"a": []}',
        b"[1]",
        b'[{"a": 1}]',
        b"\xff\xfe[]",
        b'{"messages": [1]}',
    ],
)
def test_a_body_that_is_no_request_is_an_error(body: bytes) -> None:
    with pytest.raises(FormatError):
        frame(body)


def test_a_key_that_stands_twice_never_gives_the_wrong_places() -> None:
    body = (
        b'{"messages": [{"role": "user", "content": "a"}], "x": 1, "messages": [{"role": "user", "content": "b"}]}'
    )
    try:
        cut = frame(body)
    except FormatError:
        return
    assert json.loads(cut.raw(0)) == {"role": "user", "content": "b"}


@given(sessions(), st.sampled_from(list(FORMATS)), SPELLINGS)
def test_every_generated_session_is_recognised_and_cut_at_its_messages(
    session: Any, format: str, spelling: str
) -> None:
    body = render(session, format)
    cut = frame(encode(body, spelling))
    expected = body if isinstance(body, list) else body[cut.format.field]
    assert cut.format.name == format
    assert [json.loads(cut.raw(i)) for i in range(len(cut.starts))] == expected


@given(sessions(), st.sampled_from(list(FORMATS)), SPELLINGS, st.data())
def test_resuming_finds_the_same_places(session: Any, format: str, spelling: str, data: Any) -> None:
    whole = encode(render(session, format), spelling)
    fresh = frame(whole)
    count = data.draw(st.integers(1, len(fresh.starts)))
    again = resume(fresh, whole, count)
    assert again is not None
    assert (again.starts, again.ends, again.model, again.format) == (
        fresh.starts,
        fresh.ends,
        fresh.model,
        fresh.format,
    )


@given(sessions(), st.sampled_from(list(FORMATS)), SPELLINGS)
def test_every_part_knows_where_it_stands(session: Any, format: str, spelling: str) -> None:
    for message in read(encode(render(session, format), spelling)).messages:
        whole = json.loads(message.raw)
        for part in message.parts:
            value = whole
            for step in part.at:
                value = value[step]
            if isinstance(value, str) and hasattr(part, "text"):
                assert part.text == value
