"""The scripted upstream speaks four APIs, and its memory is in the requests."""

from __future__ import annotations

import copy
import gzip
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.upstream import Fault, Prune, Read, Run, Script, Shown, Step, Upstream, Write
from tests.upstream.player import FORMATS, Player

STEPS = (
    Step((Read("a.py"),)),
    Step((Run("make"), Read("b.py"))),
    Step((Prune("discard", ((Shown(1),),)),)),
    Step((Write("c.py", "c = 1\n"),)),
    Step(text="All is done."),
)
FIRST_RESULT = {"anthropic_messages": 2, "openai_chat": 3, "openai_responses": 3, "gemini": 2}
"""Where the first result stands in a history."""


@pytest.fixture
def up() -> Iterator[Upstream]:
    with Upstream(Script(STEPS, root="/project")) as upstream:
        yield upstream


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_script_is_played_to_its_end(up: Upstream, format: str, stream: bool) -> None:
    player = Player(up.url, format, stream)
    player.play()
    assert [request.step for request in up.requests] == [0, 1, 3, 4]
    assert "All is done." in json.dumps(player.body)
    assert (up.problems, up.breaks) == ([], [])


@pytest.mark.parametrize("format", FORMATS)
def test_stream_tells_the_same_as_the_whole_answer(up: Upstream, format: str) -> None:
    streamed, whole = Player(up.url, format, True), Player(up.url, format, False)
    streamed.play()
    whole.play()
    for body in (streamed.body, whole.body):
        body.pop("stream", None)
    assert streamed.body == whole.body


@pytest.mark.parametrize("format", FORMATS)
def test_usage_tells_what_the_cache_read(up: Upstream, format: str) -> None:
    Player(up.url, format).play()
    first, *later = [request.usage for request in up.requests]
    assert first.read == 0
    sizes = [first.input, *(usage.input for usage in later)]
    assert [usage.read for usage in later] == sizes[:-1]


@pytest.mark.parametrize("format", FORMATS)
def test_request_that_does_not_extend_the_last_one_is_a_break(up: Upstream, format: str) -> None:
    player = Player(up.url, format)
    player.step()
    player.step()
    text = json.dumps(player.body).replace("read did", "READ did")
    player.body = json.loads(text)
    player.step()
    assert [(b.request, b.before, b.message) for b in up.breaks] == [(2, 1, FIRST_RESULT[format])]
    assert up.requests[2].usage.read < up.requests[1].usage.input


def test_moved_cache_marker_is_no_break(up: Upstream) -> None:
    player = Player(up.url, "anthropic_messages")
    player.step()
    player.body["messages"][0]["content"] = [{"type": "text", "text": player.body["messages"][0]["content"]}]
    player.body["messages"][-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
    player.step()
    assert up.breaks == []


@pytest.mark.parametrize("format", FORMATS)
def test_proxy_tool_is_called_where_it_is_declared(up: Upstream, format: str) -> None:
    player = Player(up.url, format, result=lambda name, arguments: f"{name} [id abc123]")
    _declare(player)
    player.play()
    assert [request.step for request in up.requests] == [0, 1, 2, 3, 4]
    assert "abc123" in json.dumps(player.body).split("discard")[1][:60]


@pytest.mark.parametrize("format", FORMATS)
def test_request_without_tools_gets_a_title(up: Upstream, format: str) -> None:
    player = Player(up.url, format, False)
    del player.body["tools"]
    assert not player.step()
    assert up.requests[0].step == -1


@pytest.mark.parametrize("format", FORMATS)
def test_missing_key_is_401(up: Upstream, format: str) -> None:
    assert Player(up.url, format).send(headers={"authorization": ""}).status == 401


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", ["401", "429", "500", "529"])
def test_status_fault_speaks_as_the_provider(up: Upstream, format: str, kind: str) -> None:
    reply = Player(up.url, format).send(headers={"x-fault": kind})
    assert reply.status == int(kind)
    assert "error" in json.loads(reply.bytes)
    assert ("retry-after" in {key.lower() for key in reply.headers}) == (kind in ("429", "529"))
    assert up.requests == []


def test_fault_is_over_after_the_given_times(up: Upstream) -> None:
    up.fail(Fault("429"), times=2)
    player = Player(up.url, "openai_chat")
    assert [player.send().status for _ in range(3)] == [429, 429, 200]


def test_dropped_connection_has_no_answer(up: Upstream) -> None:
    with pytest.raises((ConnectionError, http.client.HTTPException, urllib.error.URLError)):
        Player(up.url, "openai_chat").send(headers={"x-fault": "drop"})


def test_reset_comes_in_mid_stream(up: Upstream) -> None:
    player = Player(up.url, "anthropic_messages")
    player.body["stream"] = True
    with pytest.raises((ConnectionError, http.client.IncompleteRead)):
        player.send(headers={"x-fault": "reset;after=4"})
    assert up.cancelled == [0]


def test_cut_stream_ends_early(up: Upstream) -> None:
    player = Player(up.url, "anthropic_messages")
    player.body["stream"] = True
    assert b"message_stop" not in player.send(headers={"x-fault": "cut;after=4"}).bytes


def test_stalled_stream_goes_on_after_its_time(up: Upstream) -> None:
    player = Player(up.url, "anthropic_messages")
    player.body["stream"] = True
    assert b"message_stop" in player.send(headers={"x-fault": "stall;after=2;seconds=0.05"}).bytes


def test_malformed_stream_holds_no_json(up: Upstream) -> None:
    player = Player(up.url, "openai_chat")
    player.body["stream"] = True
    assert b"data: {this is no JSON" in player.send(headers={"x-fault": "malformed"}).bytes


def test_closed_port_refuses(up: Upstream) -> None:
    up.refuse()
    with pytest.raises(urllib.error.URLError):
        Player(up.url, "openai_chat").send()
    up.accept()
    assert Player(up.url, "openai_chat").send().status == 200


def test_unknown_fault_is_named() -> None:
    with pytest.raises(ValueError, match="unknown fault 'fire'"):
        Fault.parse("fire")


def test_compressed_body_is_understood(up: Upstream) -> None:
    player = Player(up.url, "openai_chat")
    raw = gzip.compress(json.dumps(player.body).encode())
    assert player.send(raw, {"content-encoding": "gzip"}).status == 200
    assert up.requests[0].body == player.body


def test_web_socket_is_refused_with_426(up: Upstream) -> None:
    headers = {"upgrade": "websocket", "connection": "upgrade"}
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(f"{up.url}/v1/responses", headers=headers))
    refused.value.close()
    assert refused.value.code == 426
    assert up.others == [("GET", "/v1/responses")]


def _declare(player: Player) -> None:
    tools = player.body["tools"]
    one = copy.deepcopy(tools[0])
    if player.format == "gemini":
        functions = one["functionDeclarations"]
        functions.append(functions[0] | {"name": "context_prune"})
        player.body["tools"] = [one]
        return
    named = one["function"] if player.format == "openai_chat" else one
    named["name"] = "context_prune"
    tools.append(one)
