"""Words of our own, and errors of the provider, as each client reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus import Settings
from prunus.agent.layer import AgentLayer
from prunus.providers import api_named
from prunus.providers.sse import Events, data_of
from tests.agent.scripts import FORMATS, understood
from tests.formats import FIELDS

either_way = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
LAYER = AgentLayer(Settings())
WORDS = 'One "line"\nand another: é \U0001f600'


def replied(format: str, body: dict[str, Any], streaming: bool) -> bytes:
    """The answer to a command in a request with these options."""
    raw = json.dumps({**body, FIELDS[format]: [{"role": "user", "content": "/prunus help"}]}).encode()
    turn = LAYER.open(raw, format, streaming=streaming, tenant="", caller="")
    reply = turn.reply() if turn is not None else None
    assert reply is not None
    return reply[1]


def failure(format: str, status: int, body: bytes, *, streaming: bool) -> bytes:
    """How an answer ends that cannot be continued."""
    raw = json.dumps({FIELDS[format]: []}).encode()
    turn = LAYER.open(raw, format, streaming=streaming, tenant="", caller="")
    assert turn is not None
    return turn.fail(status, body)


@pytest.mark.parametrize("format", FORMATS)
@either_way
@pytest.mark.parametrize("text", [WORDS, "x"])
def test_a_client_understands_the_words_exactly(format: str, streaming: bool, text: str) -> None:
    raw = api_named(format).reply(text, "m", streaming=streaming)
    got = understood(format, raw, streaming=streaming)
    message = got["message"]
    content = message[0]["content"] if isinstance(message, list) else message["content"]
    assert content == text or content[0]["text"] == text
    assert got["end"] in ("end_turn", "stop", "completed")
    assert got["output"] == 0


@either_way
def test_gemini_gets_one_candidate(streaming: bool) -> None:
    raw = api_named("gemini").reply(WORDS, "", streaming=streaming)
    answer = data_of(raw) if streaming else json.loads(raw)
    assert answer["candidates"][0]["content"]["parts"] == [{"text": WORDS}]
    assert answer["candidates"][0]["finishReason"] == "STOP"


@pytest.mark.parametrize("format", FORMATS)
@either_way
@pytest.mark.parametrize("body", [{}, {"model": None}, {"model": 7}, {"model": ["m"]}])
def test_a_request_without_a_model_is_answered_too(format: str, streaming: bool, body: dict[str, Any]) -> None:
    raw = replied(format, body, streaming)
    assert understood(format, raw, streaming=streaming)["message"]


@pytest.mark.parametrize("format", [*FORMATS, "gemini"])
def test_an_answer_that_does_not_stream_fails_with_the_providers_bytes(format: str) -> None:
    for body in (b'{"error": {"message": "no"}}', b"\xff<html>", b""):
        assert failure(format, 503, body, streaming=False) == body


@pytest.mark.parametrize("format", [*FORMATS, "gemini"])
@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[]", b'{"error": "a text"}', b'{"error": null}'])
def test_a_stream_error_names_the_status_if_the_provider_says_nothing(format: str, body: bytes) -> None:
    events = Events()
    told = [one.data for one in events.feed(failure(format, 503, body, streaming=True))]
    assert "503" in json.dumps(told[0])
    assert events.rest() == b""


@pytest.mark.parametrize("format", FORMATS)
def test_a_stream_fails_with_the_providers_own_words(format: str) -> None:
    body = b'{"error": {"type": "overloaded_error", "message": "Overloaded", "code": null}}'
    assert b"Overloaded" in failure(format, 529, body, streaming=True)
