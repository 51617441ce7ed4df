from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.errors import FormatError
from prunus.outcome import aligned, as_given, as_read
from prunus.requested.commands import ANSWER


@pytest.mark.parametrize("given", [b"{}", bytearray(b"{}"), memoryview(b"{}"), "{}"])
def test_text_in_any_type_is_read_as_bytes_and_comes_back_in_its_type(given: object) -> None:
    assert as_read(given) == b"{}"
    back = as_given(given, b"[]")
    assert type(back) is type(given)
    assert as_read(back) == b"[]"


@pytest.mark.parametrize("given", [{"messages": []}, [1]])
def test_objects_are_read_as_they_are(given: object) -> None:
    assert as_read(given) is given


@pytest.mark.parametrize(
    ("given", "said"),
    [(7, "a body of type int; expected dict, list, str or bytes"), ("\ud800", "text that is not valid Unicode")],
)
def test_a_body_of_another_type_is_refused_with_the_reason(given: object, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        as_read(given)


def test_pruned_messages_are_aligned_if_a_command_and_reasoning_went() -> None:
    def said(text: str) -> dict[str, Any]:
        thinking = {"type": "thinking", "thinking": "Hm. " * 200, "signature": "s"}
        return {"role": "assistant", "content": [thinking, {"type": "text", "text": text}]}

    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Look."},
        said("One."),
        {"role": "user", "content": "/prunus stats"},
        {"role": "assistant", "content": [{"type": "text", "text": f"{ANSWER}none"}]},
        {"role": "user", "content": "Go on."},
        said("Two."),
        {"role": "user", "content": "Go on."},
    ]
    tools = [{"name": "Read", "input_schema": {"type": "object"}}]
    body = {"model": "claude-sonnet-4-5", "tools": tools, "messages": messages}
    outcome = Pruner(Settings(schedule="eager")).prune(body)
    beside = aligned(outcome.body["messages"], len(messages), outcome)
    assert [new is None for new in beside] == [index in (2, 3) for index in range(len(messages))]
    assert beside[1] == {"role": "assistant", "content": [{"type": "text", "text": "One."}]}
