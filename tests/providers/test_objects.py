"""Bodies that come as parsed objects."""

from __future__ import annotations

import copy
from typing import Any

from pydantic import BaseModel

import prunus


class ToolUse(BaseModel):
    """A block as provider SDKs hand it out."""

    type: str = "tool_use"
    id: str
    name: str
    input: dict[str, Any]
    caller: str | None = None


def session(reads: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look at it."}]
    for n in range(reads):
        use = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": "a.py"}}
        messages.append({"role": "assistant", "content": [use]})
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": "some line of code\n" * 40}
        messages.append({"role": "user", "content": [result]})
    return messages


def test_blocks_of_a_provider_sdk_are_understood() -> None:
    messages = session(3)
    for message in messages[1::2]:
        message["content"] = [
            ToolUse(type="tool_use", **{k: v for k, v in b.items() if k != "type"}) for b in message["content"]
        ]
    out = prunus.prune({"model": "claude-sonnet-4-5", "messages": messages})
    assert out.error is None
    assert len(out.edits) == 2
    assert out.body["messages"][1] is messages[1]


def test_an_object_that_is_no_json_leaves_the_body_as_it_is() -> None:
    body = {"messages": [{"role": "user", "content": object()}]}
    out = prunus.prune(body)
    assert out.error is not None
    assert out.body is body


def test_untouched_messages_are_the_objects_that_were_given() -> None:
    messages = session(3)
    out = prunus.prune({"messages": messages})
    edited = {edit.target.message for edit in out.edits}
    assert edited
    assert all(out.body["messages"][i] is messages[i] for i in range(len(messages)) if i not in edited)


def test_a_change_that_the_caller_made_in_place_is_noticed() -> None:
    settings = prunus.Settings(schedule="eager")
    pruner = prunus.Pruner(settings)
    messages = session(3)
    pruner.prune({"messages": messages})
    messages[2]["content"][0]["content"] = "[cleared]"
    again = {"messages": [*messages, *session(4)[-2:]]}
    assert pruner.prune(again).body == prunus.prune(again, settings).body


def test_changes_of_the_caller_to_a_pruned_body_do_not_reach_the_pruner() -> None:
    pruner = prunus.Pruner()
    messages = session(4)
    first = pruner.prune({"messages": messages})
    expected = copy.deepcopy(first.body)
    edited = first.edits[0].target.message
    first.body["messages"][edited]["content"][0]["cache_control"] = {"type": "ephemeral"}
    assert pruner.prune({"messages": messages}).body == expected


def test_a_tuple_of_messages_is_pruned_too() -> None:
    out = prunus.prune({"messages": tuple(session(3))})
    assert out.error is None
    assert len(out.edits) == 2
