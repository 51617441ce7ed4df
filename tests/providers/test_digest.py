"""The identity of a message: cache markers and the flip they bring do not count, all else does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus.providers import digest

MARK = {"cache_control": {"type": "ephemeral"}}


def identity(value: dict[str, Any]) -> bytes:
    return digest(value, json.dumps(value).encode())


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def test_a_cache_marker_does_not_count() -> None:
    plain = user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])
    marked = user([{"type": "text", "text": "a"}, {"type": "text", "text": "b", **MARK}])
    assert identity(plain) == identity(marked)


def test_a_cache_marker_of_openai_does_not_count() -> None:
    mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
    assert identity(user([{"type": "input_text", "text": "a", **mark}])) == identity(
        user([{"type": "input_text", "text": "a"}])
    )
    assert identity(user("a")) == identity(user([{"type": "text", "text": "a", **mark}]))


def test_a_marked_block_equals_the_same_text_as_a_plain_string() -> None:
    assert identity(user("a")) == identity(user([{"type": "text", "text": "a", **MARK}]))
    assert identity(user("a")) == identity(user([{"type": "text", "text": "a"}]))


def test_a_marker_on_or_inside_a_result_does_not_count() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "x"}]}
    inside = {**result, "content": [{"type": "text", "text": "x", **MARK}]}
    assert identity(user([result])) == identity(user([{**result, **MARK}])) == identity(user([inside]))


def test_spacing_does_not_count() -> None:
    value = user("é")
    assert digest(value, b'{"role":"user","content":"\\u00e9"}') == digest(
        value, '{ "role": "user", "content": "é" }'.encode()
    )


@pytest.mark.parametrize(
    "other",
    [
        user("b"),
        {"role": "assistant", "content": "a"},
        user([{"type": "text", "text": "a"}, {"type": "text", "text": "a"}]),
        {**user("a"), "name": "x"},
    ],
)
def test_any_other_difference_changes_the_identity_of_a_message(other: dict[str, Any]) -> None:
    assert identity(user("a")) != identity(other)


def test_an_argument_that_is_called_like_a_marker_counts() -> None:
    def call(value: Any) -> dict[str, Any]:
        given = {"type": "tool_use", "id": "t", "name": "f", "input": {"cache_control": value}}
        return {"role": "assistant", "content": [given]}

    assert identity(call("no-store")) != identity(call("public"))
