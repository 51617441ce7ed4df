"""The functions that all formats share, on values that no format has."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus.history import Attachment, Result
from prunus.providers import frame, read
from prunus.providers.blocks import BlockReader, kind_of

ODD = [["text"], {"type": "text"}, None, 7, True, "", "unheard_of"]
odd_types = pytest.mark.parametrize("odd", ODD, ids=str)


def bodies(odd: Any) -> dict[str, Any]:
    """A request of each format in which blocks give themselves an odd type."""
    block = {"type": odd, "text": "words"}
    return {
        "anthropic_messages": {
            "messages": [
                {"role": "user", "content": [block]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "x", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [block]}]},
            ]
        },
        "openai_chat": {
            "messages": [
                {"role": "user", "content": [block]},
                {"role": "tool", "tool_call_id": "t", "content": [block]},
            ]
        },
        "openai_responses": {
            "input": [
                {"role": "user", "content": [block]},
                {"type": "function_call_output", "call_id": "t", "output": [block]},
                block,
            ]
        },
        "gemini": {"contents": [{"role": "user", "parts": [block]}]},
        "opencode": {"messages": [{"info": {"role": "user"}, "parts": [block]}]},
    }


@odd_types
@pytest.mark.parametrize("format", bodies(None))
def test_a_block_of_an_unknown_type_is_read_without_loss(format: str, odd: Any) -> None:
    raw = json.dumps(bodies(odd)[format]).encode()
    history = read(raw, format)
    assert all(message.parts for message in history.messages)
    assert b"words" in history.messages[0].raw


@odd_types
def test_a_block_of_an_odd_type_tells_no_format(odd: Any) -> None:
    raw = json.dumps({"messages": [{"role": "user", "content": [{"type": odd}, odd]}]}).encode()
    assert frame(raw).format.name == "openai_chat"


@odd_types
def test_the_kind_of_an_odd_block_is_a_string(odd: Any) -> None:
    assert kind_of({"type": odd}) == str(odd)
    assert kind_of(odd) == ("text" if isinstance(odd, dict) else "None")


def test_texts_are_those_of_the_kinds_that_are_asked_for() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": ["text"], "text": "b"}, {"type": "text", "text": 7}, "text"]
    reader = BlockReader(frozenset({"text"}), frozenset(), lambda *_: Attachment("", "", 0))
    result, *others = reader.result("t", blocks, ("content",), 0)
    assert isinstance(result, Result)
    assert (result.text, result.pieces, result.texts) == ("a", ("a",), (("content", 0, "text"),))
    assert [other.at for other in others] == [("content", 1), ("content", 3)]
