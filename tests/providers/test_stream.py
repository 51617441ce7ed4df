"""Reading answers: nothing of them is lost, whatever shape they have."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from prunus.providers import api_named
from prunus.providers.answer_stream import AnswerStream
from prunus.providers.filters import IntentFilter
from prunus.providers.sse import event
from tests.agent import scripts
from tests.agent.scripts import FORMATS, Part, answer, chunks, understood
from tests.proxy.test_mutations import ODD, places

every_format = pytest.mark.parametrize("format", FORMATS)
TOOLS = frozenset({"context_prune"})
HIDDEN: Part = ("call", "hid_0123456789", "context_prune", {"action": "discard", "targets": [["tools"]]})
PARTS: list[Part] = [
    ("think", "hm"),
    ("text", "Hello there [id 3fa9c2]."),
    ("call", "toolu_000000000001", "Edit", {"file_path": "/a", "intent": "why", "new_string": "x"}),
    HIDDEN,
]


def reader(format: str, *, streaming: bool) -> AnswerStream:
    return api_named(format).stream(streaming=streaming, ids={"3fa9c2"}, tools=TOOLS)


def passed(format: str, raw: bytes, *, streaming: bool) -> bytes:
    """What a client gets of an answer in one hop."""
    return scripts.passed(reader(format, streaming=streaming), chunks(raw, 50))


def test_gemini_hides_no_tools() -> None:
    assert not api_named("gemini").hides_tools


@every_format
@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
def test_an_empty_answer_stays_empty(format: str, streaming: bool) -> None:
    assert passed(format, b"", streaming=streaming) == b""
    assert not reader(format, streaming=streaming).hidden


@every_format
@pytest.mark.parametrize(
    "odd",
    [
        b"<html>no answer</html>",
        b"\xff\xfe",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b'{"error": {"message": "overloaded"}}',
        b'{"choices": [], "content": "a text", "output": "a text"}',
        b'{"choices": [null], "content": null, "output": null}',
        b'{"choices": [{"message": "a text"}], "content": [7], "output": [7]}',
        b'{"choices": [{"message": {"tool_calls": [7]}}], "content": [{"type": "tool_use", "name": []}]}',
        b'{"choices": [{"message": {"tool_calls": 7}}], "content": {}, "output": {}}',
    ],
)
def test_an_answer_of_another_shape_passes_as_it_came(format: str, odd: bytes) -> None:
    assert passed(format, odd, streaming=False) == odd


@every_format
@pytest.mark.parametrize(
    "odd", [b"event: x\ndata: 7\n\n", b"data: {\n\n", b": a comment\n\n", b"data: []\n\n", b"\n\n"]
)
def test_an_event_of_another_shape_passes_as_it_came(format: str, odd: bytes) -> None:
    assert passed(format, odd, streaming=True) == odd


def test_words_in_blocks_are_not_replaced() -> None:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "All of it."}]
    message: dict[str, Any] = {"role": "assistant", "content": content}
    whole = {"id": "1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": None}
    raw = json.dumps(whole).encode()
    assert passed("openai_chat", raw, streaming=False) == raw
    call = {"id": "h", "type": "function", "function": {"name": "context_prune", "arguments": "{}"}}
    message["tool_calls"] = [call]
    shown = json.loads(passed("openai_chat", json.dumps(whole).encode(), streaming=False))
    assert shown["choices"][0]["message"]["content"] == content
    assert "tool_calls" not in shown["choices"][0]["message"]


def _piece(index: int, id: str, name: str, arguments: str) -> bytes:
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    call = {"index": index, **({"id": id, "type": "function"} if id else {}), "function": function}
    choice = {"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}
    return event({"id": "c1", "choices": [choice]})


def _ended() -> bytes:
    choice = {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
    return event({"id": "c1", "choices": [choice]}) + b"data: [DONE]\n\n"


def test_a_visible_call_survives_a_hidden_one_with_the_same_index() -> None:
    # As some servers stream calls that are made at once: each whole, and all at index 0.
    for order in ("hv", "vh", "vhv"):
        pieces = [
            _piece(0, f"{kind}_{n}", "context_prune" if kind == "h" else "read", f'{{"n": {n}}}')
            for n, kind in enumerate(order)
        ]
        one = reader("openai_chat", streaming=True)
        out = scripts.passed(one, [*pieces, _ended()])
        assert b"context_prune" not in out
        assert one.visible == [f"v_{n}" for n, kind in enumerate(order) if kind == "v"]
        number = order.index("h")
        assert [(call.id, call.arguments) for call in one.hidden] == [(f"h_{number}", f'{{"n": {number}}}')]
        told = [json.loads(line[6:]) for line in out.decode().splitlines() if line.startswith("data: {")]
        shown = [call for data in told for call in data["choices"][0]["delta"].get("tool_calls", ())]
        assert [call["id"] for call in shown] == one.visible
        assert [call["index"] for call in shown] == list(range(len(shown)))


def test_visible_calls_with_the_same_index_keep_their_bytes() -> None:
    raw = _piece(0, "v_1", "read", "{}") + _piece(0, "v_2", "read", "{}") + _piece(0, "", "", " ") + _ended()
    assert passed("openai_chat", raw, streaming=True) == raw


def test_an_item_that_was_never_announced_reaches_the_client() -> None:
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]}
    ours = {"type": "function_call", "call_id": "h", "name": "context_prune", "arguments": "{}"}
    steps: list[dict[str, Any]] = [
        {"type": "response.output_item.done", "output_index": 0, "item": ours},
        {"type": "response.output_item.done", "output_index": 1, "item": item},
        {"type": "response.completed", "response": {"output": [ours, item]}},
    ]
    out = passed("openai_responses", b"".join(event(step, step["type"]) for step in steps), streaming=True)
    told = [json.loads(line[6:]) for line in out.decode().splitlines() if line.startswith("data: ")]
    assert [(data.get("output_index"), data.get("item")) for data in told[:-1]] == [(0, item)]
    assert told[-1]["response"]["output"] == [item]


@every_format
@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
def test_an_answer_that_was_only_a_hidden_call_is_not_empty(format: str, streaming: bool) -> None:
    out = passed(format, answer(format, [HIDDEN], streaming=streaming), streaming=streaming)
    assert b"context_prune" not in out
    message = understood(format, out, streaming=streaming)["message"]
    assert message == [] if format == "openai_responses" else "Done." in json.dumps(message)


def _mutated(value: Any, dice: random.Random) -> Any:
    value = json.loads(json.dumps(value))
    *way, last = dice.choice(places(value) or [("x",)])
    holder = value
    for key in way:
        holder = holder[key]
    match dice.randrange(3):
        case 0:
            holder[last] = dice.choice(ODD)
        case 1:
            holder.pop(last, None) if isinstance(holder, dict) else holder.pop(last)
        case _:
            holder[last] = [holder.get(last) if isinstance(holder, dict) else holder[last]]
    return value


def _damaged(raw: bytes, streaming: bool, dice: random.Random) -> bytes:
    """An answer with one thing changed somewhere."""
    if not streaming:
        return json.dumps(_mutated(json.loads(raw), dice)).encode()
    events = raw.split(b"\n\n")
    at = dice.choice([n for n, one in enumerate(events) if b"data: {" in one])
    head, _, data = events[at].rpartition(b"data: ")
    events[at] = head + b"data: " + json.dumps(_mutated(json.loads(data), dice)).encode()
    return b"\n\n".join(events)


@every_format
@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
def test_damaged_answers_are_read_to_their_end(format: str, streaming: bool) -> None:
    dice = random.Random(7)
    whole = answer(format, PARTS, streaming=streaming)
    for _ in range(150):
        raw = _damaged(whole, streaming, dice)
        assert passed(format, raw, streaming=streaming)
        intents = IntentFilter({"Edit"}, lambda *_: None)
        filtering = api_named(format).stream(streaming=streaming, intents=intents)
        assert scripts.passed(filtering, chunks(raw, 50))
        both = api_named(format).stream(streaming=streaming, ids={"3fa9c2"}, tools=TOOLS, intents=intents)
        assert scripts.passed(both, chunks(raw, 50))


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
def test_a_signature_of_gemini_goes_back_with_a_hidden_call(streaming: bool) -> None:
    signed = {"google": {"thought_signature": "c2ln"}}
    function = {"name": "context_prune", "arguments": "{}"}
    call = {"index": 0, "id": "hid_1", "type": "function", "function": function, "extra_content": signed}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "delta" if streaming else "message": message}
    whole = {"id": "c", "choices": [choice]}
    stream = reader("openai_chat", streaming=streaming)
    stream.feed(event(whole) if streaming else json.dumps(whole).encode())
    stream.finish()
    assert [one.id for one in stream.hidden] == ["hid_1"]
    del call["index"]
    assert stream.said()[0]["tool_calls"] == [call]


def test_a_compaction_goes_back_with_its_summary() -> None:
    place = {"index": 0}
    empty = {"type": "compaction", "content": None}
    delta = {"type": "compaction_delta", "content": "All of it.", "encrypted_content": "eA=="}
    raw = b"".join(
        (
            event({"type": "content_block_start", **place, "content_block": empty}),
            event({"type": "content_block_delta", **place, "delta": delta}),
            event({"type": "content_block_stop", **place}),
        )
    )
    stream = reader("anthropic_messages", streaming=True)
    assert stream.feed(raw) + stream.finish() == raw
    summary = {"type": "compaction", "content": "All of it.", "encrypted_content": "eA=="}
    assert stream.said()[0]["content"] == [summary]
