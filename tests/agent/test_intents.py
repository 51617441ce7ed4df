"""The intent of edits through the proxy's layer: the model gives it and sees it again, the client never does."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.agent.layer import AgentLayer
from prunus.changelog import generate_changelog
from prunus.providers import api_named, frame
from prunus.store import StoreError
from tests.agent.scripts import FORMATS, Part, declared, question
from tests.agent.test_hidden import INFO, Memory, Talk

EVERY = (*FORMATS, "gemini")
every_format = pytest.mark.parametrize("format", FORMATS)
either_way = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
SETTINGS = Settings(preset="off", agent={"offer": "off", "intent": True})
BOTH = Settings(preset="off", agent={"offer": "hidden", "intent": True})
KEYS = {key: {"type": "string"} for key in ("file_path", "old_string", "new_string")}
DONE = "The file was updated."


def edit(number: int, why: str = "") -> Part:
    arguments = {"file_path": f"/{number}.py", "old_string": "a = 1\n", "new_string": "a = 2\n"}
    first = {"intent": why} if why and number % 2 else {}
    last = {"intent": why} if why and not number % 2 else {}
    return "call", f"toolu_{number:012}", "Edit", {**first, **arguments, **last}


def talk_of(format: str, streaming: bool, settings: Settings = SETTINGS, own: bool = False) -> Talk:
    keys = {**KEYS, "intent": {"type": "string"}} if own else KEYS
    return Talk(format, streaming, settings, tools=[declared(format, "Edit", keys)])


def edited(talk: Talk, turns: range) -> None:
    """A turn for each number in which a file is edited."""
    for number in turns:
        talk.ask([("text", f"Step {number}."), edit(number, f"why {number}")])
        talk.answer((f"toolu_{number:012}", DONE))


def arguments(format: str, messages: list[bytes]) -> list[str]:
    return [site.text for raw in messages for site in api_named(format).calls_of(json.loads(raw))]


@every_format
@either_way
def test_the_model_sees_its_calls_as_it_wrote_them(format: str, streaming: bool) -> None:
    talk = talk_of(format, streaming)
    edited(talk, range(4))
    assert "why" not in json.dumps(talk.messages)
    talk.ask([("text", "Done.")])
    written = [edit(number, f"why {number}")[3] for number in range(4)]
    seen = arguments(format, talk.sent[-1])
    assert [list(json.loads(text).items()) for text in seen] == [list(value.items()) for value in written]
    if format != "anthropic_messages":
        assert seen == [json.dumps(value) for value in written]


@every_format
@either_way
def test_each_request_extends_the_one_before(format: str, streaming: bool) -> None:
    talk = talk_of(format, streaming)
    edited(talk, range(5))
    for before, after in pairwise(talk.sent):
        assert after[: len(before)] == before
    tools = [json.dumps(body["tools"]) for body in talk.bodies]
    assert len(set(tools)) == 1 and tools[0].count('"intent"') == 1


@every_format
def test_a_restart_changes_nothing(format: str) -> None:
    talks = []
    for restarts in (False, True):
        talk = talk_of(format, True)
        edited(talk, range(2))
        if restarts:
            talk.restart()
        edited(talk, range(2, 4))
        talks.append(talk)
    assert talks[0].sent == talks[1].sent
    assert b"why 0" in b"".join(talks[1].sent[-1])


@every_format
def test_a_lost_memory_means_no_intent(format: str) -> None:
    talk = talk_of(format, True)
    edited(talk, range(2))
    talk.store = Memory()
    talk.restart()
    edited(talk, range(2, 3))
    talk.ask([("text", "Done.")])
    whole = b"".join(talk.sent[-1])
    assert b"why 1" not in whole and b"why 2" in whole


@every_format
@either_way
def test_a_tool_with_an_intent_of_its_own_is_left_alone(format: str, streaming: bool) -> None:
    talk = talk_of(format, streaming, own=True)
    edited(talk, range(2))
    assert "why 1" in json.dumps(talk.messages)
    body = question(format, talk.messages, streaming, talk.tools)
    exchange = talk.layer.open(body, format, streaming=streaming, tenant="", caller="")
    assert exchange is not None and exchange.before() is body
    assert exchange.after(Pruner(SETTINGS).prune(body, format=format)) is body and not exchange.watches


@every_format
@either_way
def test_hidden_calls_and_intents_go_together(format: str, streaming: bool) -> None:
    talk = talk_of(format, streaming, BOTH)
    edited(talk, range(1))
    got = talk.ask([("text", "Look. "), INFO], [("text", "Both."), edit(1, "why 1"), INFO, edit(2, "why 2")])
    told = json.dumps(got["message"])
    assert "why" not in told and "context_info" not in told and "toolu_000000000002" in told
    talk.answer(("toolu_000000000001", DONE), ("toolu_000000000002", DONE))
    talk.ask([("text", "Fine.")])
    seen = [json.loads(text) for text in arguments(format, talk.sent[-1])]
    assert seen == [edit(0, "why 0")[3], {}, edit(1, "why 1")[3], {}, edit(2, "why 2")[3]]
    again = talk.sent[-1]
    talk.messages.append({"role": "user", "content": "Go on."})
    talk.restart()
    talk.ask([("text", "Bye.")])
    assert talk.sent[-1][: len(again)] == again


@pytest.mark.parametrize("format", ["openai_chat", "openai_responses"])
def test_a_client_that_writes_arguments_anew_keeps_the_place(format: str) -> None:
    talk = talk_of(format, True)
    edited(talk, range(2))
    text = json.dumps(talk.messages)
    for number in range(2):
        shown = json.dumps(edit(number)[3])
        compact = json.dumps(edit(number)[3], separators=(",", ":"))
        assert json.dumps(shown) in text
        text = text.replace(json.dumps(shown), json.dumps(compact))
    talk.messages = json.loads(text)
    talk.ask([("text", "Done.")])
    seen = arguments(format, talk.sent[-1])
    assert [list(json.loads(one)) for one in seen] == [list(edit(n, "why")[3]) for n in range(2)]


@every_format
def test_intents_of_calls_with_the_same_id_are_kept_apart(format: str) -> None:
    talk = talk_of(format, True)
    for number in range(3):
        call = ("call", "call_0", "Edit", {"file_path": "/a", "new_string": str(number), "intent": f"why {number}"})
        talk.ask([call])
        talk.answer(("call_0", DONE))
    talk.ask([("text", "Done.")])
    assert [json.loads(text)["intent"] for text in arguments(format, talk.sent[-1])] == ["why 0", "why 1", "why 2"]


@every_format
def test_the_changelog_of_what_was_sent_has_the_intents(format: str) -> None:
    talk = talk_of(format, True)
    edited(talk, range(2))
    talk.ask([("text", "Done.")])
    body = json.dumps(talk.bodies[-1]).encode()
    lines = [line for file in generate_changelog(body).files for line in file.lines]
    assert [(line.purpose, line.origin) for line in lines] == [("why 0", "given"), ("why 1", "given")]


@every_format
def test_a_store_that_is_down_costs_no_intent_while_the_proxy_runs(format: str) -> None:
    class Down(Memory):
        def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
            raise StoreError("locked")

        def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
            raise StoreError("locked")

    talk = talk_of(format, True)
    told: list[Exception] = []
    talk.layer = AgentLayer(SETTINGS, Down(), told.append)
    edited(talk, range(2))
    talk.ask([("text", "Done.")])
    assert b"why 1" in b"".join(talk.sent[-1]) and "why" not in json.dumps(talk.messages)
    assert told


@every_format
def test_nothing_is_offered_unless_asked_for(format: str) -> None:
    talk = Talk(format, True, Settings(preset="off"), tools=[declared(format, "Edit", KEYS)])
    talk.ask([edit(1, "why")])
    assert '"intent"' not in json.dumps(talk.bodies[-1]["tools"]) and "why" in json.dumps(talk.messages)


@either_way
@pytest.mark.parametrize("named", [True, False], ids=["client adds ids", "without ids"])
def test_gemini_calls_are_found_by_their_place_and_arguments(streaming: bool, named: bool) -> None:
    store = Memory()
    tools = [declared("gemini", "replace", KEYS)]
    contents: list[Any] = [{"role": "user", "parts": [{"text": "Edit."}]}]
    sent: list[list[bytes]] = []
    for number in range(3):
        layer, pruner = AgentLayer(SETTINGS, store), Pruner(SETTINGS)
        body = json.dumps({"tools": tools, "contents": contents}).encode()
        exchange = layer.open(body, "gemini", streaming=streaming, tenant="", caller="")
        assert exchange is not None
        out = exchange.after(pruner.prune(exchange.before(), format="gemini"))
        cut = frame(out, "gemini")
        sent.append([cut.raw(i) for i in range(len(cut))])
        args = {"file_path": "/a", "intent": f"why {number}", "old_string": "a"}
        part = {"functionCall": {"name": "replace", "args": args}, "thoughtSignature": "c2ln"}
        row = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
        raw = json.dumps(row).encode()
        shown = exchange.feed(b"data: " + raw + b"\r\n\r\n" if streaming else raw)
        rest, again = exchange.end()
        assert again is None
        answer = json.loads((shown + rest).removeprefix(b"data: "))
        assert [site.arguments for site in api_named("gemini").calls_in_answer(answer)] == [
            {"file_path": "/a", "old_string": "a"}
        ]
        content = answer["candidates"][0]["content"]
        if named:
            content["parts"][0]["functionCall"]["id"] = f"replace-{number}"
        told = {"functionResponse": {"name": "replace", "response": {"output": DONE}}}
        contents += [content, {"role": "user", "parts": [told]}]
    for before, after in pairwise(sent):
        assert after[: len(before)] == before
    assert [json.loads(text)["intent"] for text in arguments("gemini", sent[-1])] == ["why 0", "why 1"]


def test_geminis_streamed_arguments_are_left_alone() -> None:
    config = {"functionCallingConfig": {"streamFunctionCallArguments": True}}
    tools = [declared("gemini", "replace", KEYS)]
    body = json.dumps({"tools": tools, "toolConfig": config, "contents": []}).encode()
    exchange = AgentLayer(SETTINGS).open(body, "gemini", streaming=True, tenant="", caller="")
    assert exchange is not None and exchange.before() is body


def test_a_text_in_place_of_messages_passes() -> None:
    tools = [declared("openai_responses", "Edit", KEYS)]
    body = json.dumps({"model": "gpt-5", "input": "Hi", "tools": tools}).encode()
    exchange = AgentLayer(BOTH).open(body, "openai_responses", streaming=True, tenant="", caller="")
    assert exchange is not None and json.loads(exchange.before())["input"] == "Hi"
