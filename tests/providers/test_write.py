"""Edits become bytes at their place, in the shape that stood there."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus.apply import change
from prunus.edits import Gone, Input, Note, Replacement, Shorter
from prunus.errors import PrunusError
from prunus.history import Attachment, Call, Marker, Message, Part, Result, Text, Thinking
from prunus.providers import parse, provider_named, read, write
from tests.generate.build import sessions
from tests.generate.encode import SPELLINGS, encode
from tests.generate.render import FORMATS, render

MARK = {"type": "ephemeral"}


def written(format: str, message: dict[str, Any], edits: dict[int, Replacement]) -> Any:
    raw = json.dumps(message).encode()
    return json.loads(write(parse(provider_named(format), raw, 0), edits))


def anthropic(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": content, **more}]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("long", "[gone]"),
        ([{"type": "text", "text": "long"}], [{"type": "text", "text": "[gone]"}]),
        ([{"type": "text", "text": "a"}, {"type": "image", "source": {}}], [{"type": "text", "text": "[gone]"}]),
        (
            [{"type": "text", "text": "a", "cache_control": MARK}],
            [{"type": "text", "text": "[gone]", "cache_control": MARK}],
        ),
    ],
)
def test_a_note_keeps_the_shape_of_the_content(content: Any, expected: Any) -> None:
    assert written("anthropic_messages", anthropic(content), {0: Note("[gone]")}) == anthropic(expected)


def test_a_note_keeps_what_stands_beside_the_content() -> None:
    message = anthropic("long", is_error=True, cache_control=MARK, future=1)
    expected = anthropic("[gone]", is_error=True, cache_control=MARK, future=1)
    assert written("anthropic_messages", message, {0: Note("[gone]")}) == expected


def test_a_shorter_text_keeps_images() -> None:
    image = {"type": "image", "source": {"data": "AAAA"}}
    content = [{"type": "text", "text": "a"}, image, {"type": "text", "text": "b"}]
    assert written("anthropic_messages", anthropic(content), {0: Shorter("s")}) == anthropic(
        [{"type": "text", "text": "s"}, image]
    )


def test_quoted_arguments_stay_quoted() -> None:
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "write", "arguments": '{"filePath": "/a", "content": "x"}'},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    out = written("openai_chat", message, {0: Input({"filePath": "/a"})})
    assert json.loads(out["tool_calls"][0]["function"]["arguments"]) == {"filePath": "/a"}


def test_an_attachment_keeps_its_cache_marker() -> None:
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
        "cache_control": MARK,
    }
    out = written("anthropic_messages", {"role": "user", "content": [image]}, {0: Note("[File]")})
    assert out["content"] == [{"type": "text", "cache_control": MARK, "text": "[File]"}]


def test_a_thinking_block_is_removed_with_its_signature() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    said = {"type": "text", "text": "Yes."}
    out = written("anthropic_messages", {"role": "assistant", "content": [thought, said]}, {0: Gone()})
    assert out["content"] == [said]


def test_a_responses_item_leaves_altogether() -> None:
    raw = b'{"type": "reasoning", "summary": []}'
    assert write(parse(provider_named("openai_responses"), raw, 0), {0: Gone()}) == b""


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({"output": "long"}, {"output": "[gone]"}),
        ({"error": "long"}, {"error": "[gone]"}),
        ({"output": "long", "exitCode": 0}, {"output": "[gone]"}),
        ({"error": "long", "code": 3}, {"error": "[gone]"}),
    ],
)
def test_a_gemini_answer_keeps_its_meaning(response: Any, expected: Any) -> None:
    def message(value: Any) -> dict[str, Any]:
        return {"role": "user", "parts": [{"functionResponse": {"name": "f", "id": "i", "response": value}}]}

    assert written("gemini", message(response), {0: Note("[gone]")}) == message(expected)


@pytest.mark.parametrize("response", ["long text " * 40, ["long"] * 40, 12345])
def test_a_gemini_answer_of_an_odd_type_never_replaces_the_whole_message(response: Any) -> None:
    value = {"role": "user", "parts": [{"functionResponse": {"name": "f", "id": "i", "response": response}}]}
    with suppress(PrunusError):
        assert written("gemini", value, {0: Note("[gone]")})["role"] == "user"


def test_an_opencode_answer_without_text_never_replaces_the_whole_message() -> None:
    shot = {"type": "file", "mime": "image/png", "url": "data:image/png;base64," + "A" * 4000}
    state: dict[str, Any] = {"status": "completed", "input": {}, "output": None, "attachments": [shot]}
    value = {"info": {"role": "assistant"}, "parts": [{"type": "tool", "tool": "x", "callID": "c", "state": state}]}
    with suppress(PrunusError):
        assert written("opencode", value, {1: Note("[gone]")})["info"] == {"role": "assistant"}


def test_opencode_attachments_go_with_the_answer() -> None:
    shot = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"}
    state = {"status": "completed", "input": {}, "output": "long", "attachments": [shot], "title": "x"}
    value = {"info": {"role": "assistant"}, "parts": [{"type": "tool", "tool": "x", "callID": "c", "state": state}]}
    out = written("opencode", value, {1: Note("[gone]")})
    assert out["parts"][0]["state"] == {"status": "completed", "input": {}, "output": "[gone]", "title": "x"}


@given(sessions(), st.sampled_from(list(FORMATS)), SPELLINGS, st.data())
def test_any_edits_of_a_message_read_back_as_carried_out(
    session: Any, format: str, spelling: str, data: Any
) -> None:
    history = read(encode(render(session, format), spelling))
    message = data.draw(st.sampled_from(history.messages))
    edits = {i: data.draw(r) for i, part in enumerate(message.parts) if (r := possible(part, message)) is not None}
    chosen = {i: edit for i, edit in edits.items() if edit is not None}
    after = change(message, chosen)
    raw = write(message, chosen)
    assert (parse(provider_named(format), raw, 0) if raw else None) == after


def possible(part: Part, message: Message) -> st.SearchStrategy[Replacement | None] | None:
    """The edits that make sense for a part, or none."""
    words = st.sampled_from(["[gone]", 'quo"te\\ é 😀\n'])
    match part:
        case Text():
            return st.none() | st.builds(Shorter, words)
        case Result() if part.at:
            notes: st.SearchStrategy[Replacement] = st.builds(Note, words)
            return st.none() | notes | (st.builds(Shorter, words) if part.texts else st.nothing())
        case Call() if isinstance(part.input, dict) and not part.fixed:
            return st.none() | st.just(Input(dict(list(part.input.items())[:1])))
        case Attachment() if not part.fixed and part.inside is None:
            return st.none() | st.builds(Note, words)
        case Thinking() if not part.required and len(message.parts) > 1:
            return st.sampled_from([None, Gone()])
        case Marker():
            return st.sampled_from([None, Gone()])
    return None


def test_a_shorter_text_keeps_the_cache_marker_of_a_later_text() -> None:
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "b", "cache_control": MARK}]
    expected = [{"type": "text", "text": "s", "cache_control": MARK}]
    assert written("anthropic_messages", anthropic(content), {0: Shorter("s")}) == anthropic(expected)


@pytest.mark.parametrize("edit", [Note("[gone]"), Shorter("[gone]")])
def test_the_output_of_a_shell_keeps_how_it_ended(edit: Replacement) -> None:
    ends = {"type": "exit", "exit_code": 0}, {"type": "timeout"}
    chunks = [{"stdout": "a", "stderr": "b", "outcome": ends[0]}, {"stdout": "c", "stderr": "", "outcome": ends[1]}]
    output = {"type": "shell_call_output", "call_id": "s1", "output": chunks}
    assert written("openai_responses", output, {0: edit})["output"] == [
        {"stdout": "[gone]", "stderr": "", "outcome": ends[0]},
        {"stdout": "", "stderr": "", "outcome": ends[1]},
    ]


def test_files_of_a_gemini_answer_go_only_with_its_words() -> None:
    files = [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]
    answer = {"name": "f", "response": {"output": "x", "more": 1}, "parts": files}
    message = {"role": "user", "parts": [{"functionResponse": answer}]}
    noted = written("gemini", message, {0: Note("[gone]")})["parts"][0]["functionResponse"]
    shorter = written("gemini", message, {0: Shorter("[less]")})["parts"][0]["functionResponse"]
    assert noted == {"name": "f", "response": {"output": "[gone]"}}
    assert shorter == {"name": "f", "response": {"output": "[less]"}, "parts": files}


@pytest.mark.parametrize(
    ("format", "kind", "block"),
    [
        ("openai_chat", "text", {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}),
        ("openai_responses", "input_text", {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}),
    ],
)
def test_a_note_in_place_of_a_picture_keeps_openais_cache_marker(format: str, kind: str, block: Any) -> None:
    mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
    message = {"role": "user", "content": [{**block, **mark}]}
    assert written(format, message, {0: Note("[a.png]")})["content"] == [{"type": kind, **mark, "text": "[a.png]"}]
