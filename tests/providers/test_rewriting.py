"""Calls and answers as messages, and bodies that get more of them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from prunus.errors import FormatError
from prunus.history import Call, Result
from prunus.providers import api_named, provider_named, read
from prunus.providers.blocks import dicts, words_of
from prunus.providers.provider import ToolResult
from prunus.providers.rewriting import extended, items_of, top_of
from tests.formats import FIELDS, call_and_result

every_format = pytest.mark.parametrize("format", FIELDS)


@every_format
@pytest.mark.parametrize("arguments", [{"action": "discard"}, '{"action": "discard"}', "{}", {}])
def test_a_call_and_its_answer_are_a_pair_in_every_format(format: str, arguments: Any) -> None:
    body = {FIELDS[format]: call_and_result(format, "call_1", "context_prune", arguments, "ok")}
    parts = [part for message in read(json.dumps(body).encode(), format).messages for part in message.parts]
    [call] = [part for part in parts if isinstance(part, Call)]
    [result] = [part for part in parts if isinstance(part, Result)]
    assert (call.tool, call.id, result.id, result.text) == ("context_prune", "call_1", "call_1", "ok")
    assert call.input == (json.loads(arguments) if isinstance(arguments, str) else arguments)


@pytest.mark.parametrize("format", ["anthropic_messages", "gemini"])
@pytest.mark.parametrize(
    ("arguments", "kept"),
    [('{"targets": [', '{"targets": ['), ("", ""), ('[["tools"]]', [["tools"]]), ('"\\ud800"', "\ufffd")],
)
def test_arguments_that_are_no_object_are_kept_inside_one(format: str, arguments: str, kept: Any) -> None:
    [said, _] = call_and_result(format, "c", "context_prune", arguments, "ok")
    given = said["content"][0]["input"] if "content" in said else said["parts"][0]["functionCall"]["args"]
    assert given == {"targets": kept}


@every_format
def test_two_answers_of_one_turn_keep_their_ids(format: str) -> None:
    text = json.dumps(
        api_named(format).result_messages([ToolResult("call_1", "a", "one"), ToolResult("call_2", "b", "two")])
    )
    assert text.index("call_1") < text.index("one") < text.index("call_2") < text.index("two")


def test_a_format_that_offers_no_tools_is_refused() -> None:
    with pytest.raises(FormatError, match="opencode"):
        call_and_result("opencode", "c", "t", {}, "")


def test_an_extended_body_keeps_its_bytes_and_their_order() -> None:
    body = rb'{"z": 1.50, "messages" : [ {"role":"user",  "content":"\u00e9"} ], "a": {"b" :2}}'
    after = extended(body, provider_named("openai_chat"), [{"role": "user", "content": "more"}])
    top = msgspec.json.decode(after, type=dict[str, msgspec.Raw])
    assert list(top) == ["z", "messages", "a"]
    assert (bytes(top["z"]), bytes(top["a"])) == (b"1.50", b'{"b" :2}')
    raws = items_of(bytes(top["messages"])) or []
    assert bytes(raws[0]) == rb'{"role":"user",  "content":"\u00e9"}'
    assert json.loads(bytes(raws[1])) == {"role": "user", "content": "more"}
    assert extended(body, provider_named("openai_chat"), []).count(b"role") == 1


@pytest.mark.parametrize("held", [b"null", b"{}", b"7", b""])
def test_a_value_that_is_no_list_holds_no_messages(held: bytes) -> None:
    assert items_of(held) is None
    top = {"input": msgspec.Raw(held)} if held else {}
    with pytest.raises(FormatError):
        extended(msgspec.json.encode(top), provider_named("openai_responses"), [])


def test_a_text_in_place_of_the_messages_counts_as_a_message() -> None:
    more = [{"role": "user", "content": "and?"}]
    longer = extended(rb'{"input": "one\u0020text", "n": 1.50}', provider_named("openai_responses"), more)
    assert (
        longer
        == rb'{"input":[{"role":"user","content":"one\u0020text"},{"role":"user","content":"and?"}],"n":1.50}'
    )


def test_a_list_with_white_space_around_it_is_parsed() -> None:
    assert items_of(b" \n[1, 2 ]") == [msgspec.Raw(b"1"), msgspec.Raw(b"2")]
    assert items_of(b"[]") == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("text", "text"),
        ([{"type": "text", "text": "a"}, {"type": "image"}, "odd", {"text": "b"}], "ab"),
        ([], ""),
        (None, ""),
        (7, ""),
        ({"text": "no list"}, ""),
    ],
)
def test_words_are_those_of_a_text_or_of_blocks(content: Any, words: str) -> None:
    assert words_of(content) == words
    assert all(isinstance(block, dict) for block in dicts(content))


@every_format
@pytest.mark.parametrize("half", [rb"\ud83d", rb"\udc00 x", rb"\\\ud800", rb"\ud83d\ude00 \ud83d"])
def test_a_body_with_half_a_surrogate_pair_is_extended_and_keeps_it(format: str, half: bytes) -> None:
    field = FIELDS[format].encode()
    said = b'{"role": "user", "content": "%b"}' % half
    tools = b'[{"name": "%b", "x": [1, {}]}, 2]' % half
    body = b'{ "%b" : [ %b , %b ] , "tools": %b, "n": 1.50 }' % (field, said, said, tools)
    assert bytes(top_of(body)["tools"]) == tools
    assert [bytes(item) for item in items_of(tools) or ()] == [tools[1:-4], b"2"]
    longer = extended(body, provider_named(format), [{"role": "user"}])
    assert said + b"," + said + b',{"role":"user"}' in longer
    assert tools in longer
    assert b"1.50" in longer


@pytest.mark.parametrize("body", [rb'{"messages": ["\ud83d"', rb'["\ud83d"]', rb'{"\ud83d" 1}'])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        top_of(body)
