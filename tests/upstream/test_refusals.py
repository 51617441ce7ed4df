"""The scripted upstream refuses what the provider would refuse, in the provider's words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.upstream import Read, Run, Script, Step, Upstream
from tests.upstream.player import FORMATS, Player

STEPS = (Step((Read("a.py"),)), Step((Run("make"), Read("b.py"))), Step((Run("ls"),)), Step(text="Done."))
Body = dict[str, Any]
MARK = {"type": "ephemeral"}


def _result_lost(body: Body) -> None:
    body["messages"][2]["content"].pop()
    body["messages"][2]["content"].append({"type": "text", "text": "gone"})


def _thinking_changed(body: Body) -> None:
    body["messages"][1]["content"][0]["thinking"] += "!"


def _thinking_of_another_step(body: Body) -> None:
    body["messages"][1]["content"][0] = body["messages"][3]["content"][0]


def _open_thinking_lost(body: Body) -> None:
    del body["messages"][3]["content"][0]


def _many_markers(body: Body) -> None:
    for message in body["messages"][2::2]:
        for block in message["content"]:
            block["cache_control"] = MARK
    body["system"].append({"type": "text", "text": "x", "cache_control": MARK})
    body["tools"][0]["cache_control"] = MARK


def _unknown_key(body: Body) -> None:
    body["messages"][2]["content"][0]["prunus"] = True


def _assistant_first(body: Body) -> None:
    body["messages"].insert(0, {"role": "assistant", "content": "Hello."})


def _steps_merged(body: Body) -> None:
    first = body["messages"].pop(1)
    answers = body["messages"].pop(1)
    body["messages"][1]["content"] = first["content"] + body["messages"][1]["content"]
    body["messages"][2]["content"] = answers["content"] + body["messages"][2]["content"]


def _same_id_twice(body: Body) -> None:
    body["messages"] += body["messages"][1:3]


def _empty_text(body: Body) -> None:
    body["messages"].append({"role": "user", "content": [{"type": "text", "text": ""}]})


def _tool_twice(body: Body) -> None:
    body["tools"].append(body["tools"][0])


def _tool_message_lost(body: Body) -> None:
    del body["messages"][3]


def _arguments_no_json(body: Body) -> None:
    body["messages"][2]["tool_calls"][0]["function"]["arguments"] = "[gone"


def _output_lost(body: Body) -> None:
    body["input"] = [item for i, item in enumerate(body["input"]) if i != 3]


def _call_lost(body: Body) -> None:
    del body["input"][2]


def _reasoning_lost(body: Body) -> None:
    del body["input"][1]


def _reasoning_forged(body: Body) -> None:
    body["input"][1]["encrypted_content"] = "Zm9yZ2Vk"


def _reasoning_moved(body: Body) -> None:
    body["input"][1]["encrypted_content"] = body["input"][4]["encrypted_content"]


def _response_lost(body: Body) -> None:
    body["contents"][2]["parts"] = [{"text": "gone"}]


def _signature_lost(body: Body) -> None:
    part = next(part for part in body["contents"][3]["parts"] if "thoughtSignature" in part)
    del part["thoughtSignature"]


def _signature_forged(body: Body) -> None:
    part = next(part for part in body["contents"][1]["parts"] if "thoughtSignature" in part)
    part["thoughtSignature"] = "Zm9yZ2Vk"


def _part_emptied(body: Body) -> None:
    body["contents"][2]["parts"] = []


CASES: list[tuple[str, Callable[[Body], None]]] = [
    *(("anthropic_messages", change) for change in (
        _result_lost, _thinking_changed, _thinking_of_another_step, _open_thinking_lost, _many_markers,
        _unknown_key, _assistant_first, _steps_merged, _same_id_twice, _empty_text, _tool_twice,
    )),
    *(("openai_chat", change) for change in (_tool_message_lost, _arguments_no_json, _tool_twice)),
    *(("openai_responses", change) for change in (
        _output_lost, _call_lost, _reasoning_lost, _reasoning_forged, _reasoning_moved, _tool_twice,
    )),
    *(("gemini", change) for change in (_response_lost, _signature_lost, _signature_forged, _part_emptied)),
]  # fmt: skip


def _after_two_steps(up: Upstream, format: str) -> Player:
    player = Player(up.url, format, stream=False)
    player.step()
    player.step()
    return player


@pytest.mark.parametrize(("format", "change"), CASES, ids=lambda value: getattr(value, "__name__", value))
def test_broken_history_is_refused(format: str, change: Callable[[Body], None]) -> None:
    with Upstream(Script(STEPS)) as up:
        player = _after_two_steps(up, format)
        change(player.body)
        reply = player.send()
    assert reply.status == 400, reply.bytes
    assert "error" in json.loads(reply.bytes)
    assert up.problems
    assert up.problems[0].startswith("request 2 ")


@pytest.mark.parametrize("format", FORMATS)
def test_untouched_history_is_accepted(format: str) -> None:
    with Upstream(Script(STEPS)) as up:
        player = _after_two_steps(up, format)
        assert player.send().status == 200
    assert up.problems == []


def test_finished_thinking_may_leave_whole() -> None:
    with Upstream(Script((*STEPS, Step((Run("ls"),))))) as up:
        player = Player(up.url, "anthropic_messages", stream=False)
        player.play()
        player.body["messages"].append({"role": "user", "content": "Go on."})
        for message in player.body["messages"]:
            if message["role"] == "assistant":
                message["content"] = [block for block in message["content"] if block["type"] != "thinking"]
        assert player.send().status == 200


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("raw", [b"{", b"[]", b"{}", b'{"messages": 3, "input": 3, "contents": 3, "model": "m"}'])
def test_body_of_another_shape_is_refused(format: str, raw: bytes) -> None:
    with Upstream(Script(STEPS)) as up:
        assert Player(up.url, format).send(raw).status == 400
