"""OpenCode's own messages, as its plugins see them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus.history import Attachment, Call, Marker, Message, Opaque, Result, Text, Thinking
from prunus.providers import parse, provider_named

SHOT = {"type": "file", "mime": "image/png", "filename": "shot.png", "url": "data:image/png;base64,iVBORw0KGgo="}


def message(*parts: Any, role: str = "assistant") -> Message:
    value = {"info": {"id": "msg_1", "role": role}, "parts": parts}
    return parse(provider_named("opencode"), json.dumps(value).encode(), 0)


def tool(**state: Any) -> tuple[Any, ...]:
    return message(
        {"type": "tool", "tool": "read", "callID": "c1", "state": {"input": {"filePath": "/a"}, **state}}
    ).parts


def test_text_and_reasoning_become_parts() -> None:
    parts = message({"type": "reasoning", "text": "Hm."}, {"type": "text", "text": "Yes."}).parts
    assert parts == (Thinking("Hm."), Text("Yes."))


def test_only_text_of_the_user_counts_as_spoken() -> None:
    assert message({"type": "text", "text": "Hi"}, role="user").spoken
    assert not message({"type": "text", "text": "Hi"}).spoken


def test_a_tool_part_is_call_and_result() -> None:
    call, result = tool(status="completed", output="text")
    assert call == Call("c1", "read", {"filePath": "/a"}, '{"filePath":"/a"}')
    assert result == Result("c1", "text", error=False)


def test_a_failed_tool_part_shows_its_error() -> None:
    assert tool(status="error", error="File not found")[1] == Result("c1", "File not found", error=True)


@pytest.mark.parametrize("status", ["pending", "running"])
def test_a_tool_that_has_not_answered_is_open(status: str) -> None:
    assert tool(status=status)[1].open


def test_results_that_opencode_compacted_are_marked() -> None:
    assert tool(status="completed", output="text", time={"start": 1, "end": 2, "compacted": 3})[1].compacted
    assert not tool(status="completed", output="text", time={"start": 1, "end": 2})[1].compacted


def test_attachments_of_a_tool_belong_to_its_result() -> None:
    parts = tool(status="completed", output="text", attachments=[SHOT])
    assert parts[2] == Attachment("shot.png", "image/png", 12, inside=1, fixed=True)
    assert parts[1].extra == (("parts", 0, "state", "attachments"),)


def test_files_of_the_user_are_attachments() -> None:
    reference = {"type": "file", "mime": "text/plain", "filename": "notes.md", "url": "file:///notes.md"}
    assert message(SHOT, reference, role="user").parts == (
        Attachment("shot.png", "image/png", 12),
        Attachment("notes.md", "text/plain", 0),
    )


def test_steps_are_markers() -> None:
    parts = message({"type": "step-start", "snapshot": "a"}, {"type": "step-finish", "reason": "stop"}).parts
    assert [part.type for part in parts if isinstance(part, Marker)] == ["step-start", "step-finish"]


@pytest.mark.parametrize(
    "kind", ["patch", "snapshot", "compaction", "retry", "agent", "subtask", "from_the_future"]
)
def test_other_parts_are_left_alone(kind: str) -> None:
    assert isinstance(message({"type": kind, "x": 1}).parts[0], Opaque)


def test_odd_parts_are_left_alone() -> None:
    parts = message(None, 3, {"type": "text", "text": 4}, {"type": "tool", "state": "x"}).parts
    assert all(isinstance(part, Opaque) for part in parts)
