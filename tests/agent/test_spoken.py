"""Which messages are the model's, and where they stand among the others."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from prunus.agent.spoken import by_model, others_in, spoken


def raws(*messages: Any) -> list[msgspec.Raw]:
    return [msgspec.Raw(one if isinstance(one, bytes) else json.dumps(one).encode()) for one in messages]


def test_the_place_counts_what_is_not_the_models() -> None:
    user, said = {"role": "user", "content": "assistant"}, {"role": "assistant", "content": "x"}
    found = list(spoken("openai_chat", raws({"role": "system"}, user, said, {"role": "tool"}, said, said)))
    assert [(index, place) for index, place, _ in found] == [(2, 2), (4, 3), (5, 3)]


@pytest.mark.parametrize(
    ("item", "models"),
    [
        ({"type": "function_call", "call_id": "c"}, True),
        ({"type": "local_shell_call"}, True),
        ({"type": "reasoning"}, True),
        ({"type": "message", "role": "assistant"}, True),
        ({"role": "assistant", "content": "an old client sends no type"}, True),
        ({"type": "function_call_output", "output": "x"}, False),
        ({"type": "message", "role": "user"}, False),
        ({"role": "developer"}, False),
        ({"type": "compaction"}, False),
        ({}, False),
    ],
)
def test_items_of_responses_tell_by_their_type_whose_they_are(item: dict[str, Any], models: bool) -> None:
    assert by_model("openai_responses", item) is models
    assert len(list(spoken("openai_responses", raws(item)))) == models


def test_a_long_output_that_names_a_call_is_no_call() -> None:
    item = {"type": "function_call_output", "call_id": "c", "output": '{"type": "function_call"} ' * 50}
    assert list(spoken("openai_responses", raws(item))) == []


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat", "openai_responses", "gemini"])
@pytest.mark.parametrize(
    "odd",
    [
        b'{"role": "assistant", "content": "\xff"}',
        b'["assistant", "model"]',
        b'"assistant model"',
        b"null",
        b'{"role": ["assistant"], "parts": "model"}',
        b'{"role": "assistant", "content": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_what_cannot_be_read_is_not_the_models(format: str, odd: bytes) -> None:
    assert list(spoken(format, [msgspec.Raw(odd)])) == []


def test_a_body_without_messages_has_no_others() -> None:
    assert others_in(b'{"model": "m"}', "openai_chat") == 0
    assert others_in(b'{"input": "one text"}', "openai_responses") == 1
    assert others_in(b'{"contents": [{"role": "user"}, {"role": "model"}, {}]}', "gemini") == 2
