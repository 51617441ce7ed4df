"""Answers whose edits say why: the client gets every other byte, however the stream is cut."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prunus.providers import api_named
from prunus.providers.filters import IntentFilter, RemovedIntent
from prunus.providers.hidden_calls import CallSite
from tests.agent.scripts import FORMATS, Part, answer, passed, understood

EVERY = (*FORMATS, "gemini")
every_format = pytest.mark.parametrize("format", EVERY)
either_way = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
GIVEN = {"file_path": "/a.py", "intent": 'Say "hi" - naïvely, with } and ,', "old_string": "a\n", "new_string": "é"}
SHOWN = {key: value for key, value in GIVEN.items() if key != "intent"}


class Told:
    """What a filter has remembered."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def keep(self, site: CallSite, withheld: RemovedIntent) -> None:
        self.kept[site.id, site.tool] = json.loads("{" + withheld.member + "}")["intent"]


def filtered(format: str, raw: bytes, streaming: bool, *cuts: int) -> tuple[bytes, Told]:
    told = Told()
    intents = IntentFilter(frozenset({"Edit", "Write"}), told.keep)
    stream = api_named(format).stream(streaming=streaming, intents=intents)
    ends = [0, *cuts, len(raw)]
    return passed(stream, (raw[start:end] for start, end in pairwise(ends))), told


def said(format: str, parts: list[Part], streaming: bool) -> bytes:
    if format != "gemini":
        return answer(format, parts, streaming=streaming)
    held = [
        {"text": part[1]} if part[0] == "text" else {"functionCall": {"name": part[2], "args": part[3]}}
        for part in parts
    ]
    rows = [{"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]} for part in held]
    if streaming:
        return b"".join(b"data: " + json.dumps(row).encode() + b"\r\n\r\n" for row in rows)
    return json.dumps({"candidates": [{"content": {"role": "model", "parts": held}}]}).encode()


def calls(format: str, raw: bytes, streaming: bool) -> list[Any]:
    """The calls that a client understands, as tool and arguments in their order."""
    if format == "gemini":
        lines = [line[6:] for line in raw.decode().splitlines() if line.startswith("data: ")]
        rows = [json.loads(line) for line in (lines if streaming else [raw])]
        parts = [p for row in rows for c in row["candidates"] for p in c["content"]["parts"]]
        return [
            (p["functionCall"]["name"], list(p["functionCall"]["args"].items())) for p in parts if "text" not in p
        ]
    message = understood(format, raw, streaming=streaming)["message"]
    match format:
        case "anthropic_messages":
            return [(b["name"], list(b["input"].items())) for b in message["content"] if b["type"] == "tool_use"]
        case "openai_chat":
            made = [call["function"] for call in message.get("tool_calls", ())]
        case _:
            made = [item for item in message if item["type"] == "function_call"]
    return [(call["name"], list(json.loads(call["arguments"]).items())) for call in made]


@every_format
@either_way
def test_however_the_answer_is_cut_the_client_sees_the_same(format: str, streaming: bool) -> None:
    raw = said(format, [("text", "Now."), ("call", "toolu_000000000001", "Edit", GIVEN)], streaming)
    whole, _ = filtered(format, raw, streaming)
    assert calls(format, whole, streaming) == [("Edit", list(SHOWN.items()))]
    for at in range(1, len(raw)):
        out, told = filtered(format, raw, streaming, at)
        assert out == whole
        assert list(told.kept.values()) == [GIVEN["intent"]]
    assert filtered(format, raw, streaming, *range(1, len(raw)))[0] == whole


@every_format
@either_way
def test_several_edits_in_one_answer_keep_their_own_intents(format: str, streaming: bool) -> None:
    parts: list[Part] = [
        ("text", "All."),
        ("call", "toolu_000000000001", "Edit", {"intent": "first", "file_path": "/a"}),
        ("call", "toolu_000000000002", "Read", {"file_path": "/b", "intent": "of its own"}),
        ("call", "toolu_000000000003", "Write", {"file_path": "/c", "content": "{}"}),
        ("call", "toolu_000000000004", "Edit", {"file_path": "/d", "intent": "last"}),
    ]
    out, told = filtered(format, said(format, parts, streaming), streaming)
    assert calls(format, out, streaming) == [
        ("Edit", [("file_path", "/a")]),
        ("Read", [("file_path", "/b"), ("intent", "of its own")]),
        ("Write", [("file_path", "/c"), ("content", "{}")]),
        ("Edit", [("file_path", "/d")]),
    ]
    assert set(told.kept.values()) == ({"last"} if format == "gemini" else {"first", "last"})


@every_format
@either_way
def test_answers_without_our_tools_keep_their_bytes(format: str, streaming: bool) -> None:
    raw = said(format, [("text", "Hm."), ("call", "toolu_000000000001", "Read", GIVEN)], streaming)
    assert filtered(format, raw, streaming, 7, 90)[0] == raw


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("broken", ['{"file_path": "/a", "intent": "wh', '{"intent": "x" "file_path": 1}', "[1]"])
def test_arguments_that_are_no_object_come_out_as_they_were(format: str, broken: str) -> None:
    raw = said(format, [("call", "toolu_000000000001", "Edit", broken)], True)
    out, told = filtered(format, raw, True)
    assert not told.kept
    assert pieces_of(format, out) == pieces_of(format, raw) == broken


def pieces_of(format: str, raw: bytes) -> str:
    """The pieces of arguments of a stream, put together."""
    found = []
    for line in raw.decode().splitlines():
        data = json.loads(line[6:]) if line.startswith("data: {") else {}
        match format:
            case "anthropic_messages":
                found.append(data.get("delta", {}).get("partial_json", ""))
            case "openai_chat":
                found += (
                    call["function"].get("arguments", "")
                    for choice in data.get("choices", ())
                    for call in choice["delta"].get("tool_calls", ())
                )
            case _ if data.get("type") == "response.function_call_arguments.delta":
                found.append(data["delta"])
    return "".join(found)


@pytest.mark.parametrize("format", FORMATS)
def test_a_stream_that_breaks_off_in_the_arguments_loses_none_of_them(format: str) -> None:
    raw = said(format, [("call", "toolu_000000000001", "Edit", GIVEN)], True)
    for at in range(0, len(raw), 5):
        out, told = filtered(format, raw[:at], True)
        if not told.kept:
            assert pieces_of(format, out[: out.rfind(b"\n\n") + 2]) == pieces_of(
                format, raw[: raw[:at].rfind(b"\n\n") + 2]
            )


def test_a_stream_keeps_its_pace_while_arguments_are_held() -> None:
    raw = said("anthropic_messages", [("call", "toolu_000000000001", "Edit", GIVEN)], True)
    intents = IntentFilter(frozenset({"Edit"}), Told().keep)
    stream = api_named("anthropic_messages").stream(streaming=True, intents=intents)
    events = [part + b"\n\n" for part in raw.split(b"\n\n")[:-1]]
    assert all(map(stream.feed, events))


def test_a_chat_call_may_come_in_one_chunk_with_the_end() -> None:
    function = {"name": "Edit", "arguments": json.dumps(GIVEN)}
    call = {"index": 0, "id": "call_000000000001", "type": "function", "function": function}
    row = {"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}
    raw = b"data: " + json.dumps({"id": "1", "choices": [row]}).encode() + b"\n\ndata: [DONE]\n\n"
    out, told = filtered("openai_chat", raw, True)
    assert json.loads(pieces_of("openai_chat", out)) == SHOWN and out.count(b"data: ") == 2
    assert told.kept == {("call_000000000001", "Edit"): GIVEN["intent"]}


def test_calls_that_a_chat_server_gives_the_same_index() -> None:
    rows = [
        {"index": 0, "id": id, "function": {"name": "Edit", "arguments": json.dumps({"n": id, "intent": id})}}
        for id in ("call_000000000001", "call_000000000002")
    ]
    raw = b"".join(
        b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [row]}}]}).encode() + b"\n\n"
        for row in rows
    )
    out, told = filtered("openai_chat", raw, True)
    assert pieces_of("openai_chat", out) == '{"n": "call_000000000001"}{"n": "call_000000000002"}'
    assert list(told.kept.values()) == ["call_000000000001", "call_000000000002"]


def test_a_start_that_tells_the_whole_input() -> None:
    block = {"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": GIVEN}
    data = {"type": "content_block_start", "index": 0, "content_block": block}
    raw = b"event: content_block_start\ndata: " + json.dumps(data).encode() + b"\n\n"
    out, _ = filtered("anthropic_messages", raw, True)
    assert json.loads(out.split(b"data: ")[1])["content_block"] == {**block, "input": SHOWN}


def test_intents_are_removed_from_an_answer_of_gemini_as_a_list() -> None:
    row = json.loads(said("gemini", [("call", "", "Edit", GIVEN)], False))
    raw = json.dumps([row, {"usageMetadata": {}}], indent=2).encode()
    out, told = filtered("gemini", raw, True, 1, 30)
    assert json.loads(out)[0]["candidates"][0]["content"]["parts"][0]["functionCall"]["args"] == SHOWN
    assert told.kept


def test_whole_answers_keep_their_other_bytes() -> None:
    raw = answer("openai_chat", [("text", "é"), ("call", "1", "Edit", {"a": 1e5, "intent": "x"})], streaming=False)
    raw = raw.replace(b'{"id"', b'{ "id"  ')
    out, _ = filtered("openai_chat", raw, False)
    assert out == raw.replace(b', \\"intent\\": \\"x\\"', b"")


JSON = st.recursive(
    st.none() | st.integers(0, 2) | st.sampled_from(["Edit", "tool_use", "function_call", '{"intent":1}', "stop"]),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(
        st.sampled_from(
            ["type", "index", "delta", "choices", "tool_calls", "function", "name", "arguments", "item", "response",
             "output", "output_index", "content_block", "input", "content", "candidates", "parts", "functionCall",
             "args", "partial_json", "finish_reason", "intent", "id"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=12,
)  # fmt: skip
KINDS = st.sampled_from(
    ["content_block_start", "content_block_delta", "content_block_stop", "response.output_item.added",
     "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done",
     "response.completed", ""]
)  # fmt: skip


@every_format
@settings(max_examples=60)
@given(rows=st.lists(st.tuples(KINDS, JSON), max_size=4))
def test_strange_answers_do_no_harm(format: str, rows: list[tuple[str, Any]]) -> None:
    values = [
        {**value, **({"type": kind} if kind else {})} if isinstance(value, dict) else value for kind, value in rows
    ]
    raw = b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)
    filtered(format, raw, True)
    for value in values:
        filtered(format, json.dumps(value).encode(), False)


def test_an_event_without_a_type_passes_as_it_came() -> None:
    item = {"type": "function_call", "call_id": "c1", "name": "Edit", "arguments": json.dumps(GIVEN)}
    raw = b"data: " + json.dumps({"output_index": 0, "item": item}).encode() + b"\n\n"
    assert filtered("openai_responses", raw, True)[0] == raw
