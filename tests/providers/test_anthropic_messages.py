"""Anthropic Messages as Claude Code, OpenCode and pi send it."""

from __future__ import annotations

import json
from typing import Any

from prunus.edits import Gone
from prunus.history import Attachment, Call, Message, Opaque, Result, Text, Thinking
from prunus.providers import parse, provider_named, write

PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
PDF = {
    "type": "document",
    "title": "plan.pdf",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
}


def message(value: dict[str, Any]) -> Message:
    return parse(provider_named("anthropic_messages"), json.dumps(value).encode(), 0)


def result(content: Any, **more: Any) -> Message:
    block = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        **({} if content is None else {"content": content}),
        **more,
    }
    return message({"role": "user", "content": [block]})


def test_plain_content_is_one_text_of_a_user_who_spoke() -> None:
    read = message({"role": "user", "content": "Fix the test."})
    assert read.parts == (Text("Fix the test."),)
    assert read.parts[0].at == ("content",)
    assert (read.role, read.spoken) == ("user", True)


def test_listed_content_keeps_its_order() -> None:
    read = message({"role": "user", "content": [{"type": "text", "text": "See:"}, PNG, PDF]})
    assert read.parts == (
        Text("See:"),
        Attachment("image", "image/png", 12),
        Attachment("plan.pdf", "application/pdf", 8),
    )


def test_a_system_message_inside_the_list_is_the_systems() -> None:
    read = message({"role": "system", "content": "Tools changed.", "output_config": {"effort": "high"}})
    assert (read.role, read.spoken) == ("system", False)


def test_parallel_calls_and_their_results_keep_their_order() -> None:
    calls = [{"type": "tool_use", "id": f"t{i}", "name": "Read", "input": {"file_path": f"/{i}"}} for i in range(2)]
    asked = message({"role": "assistant", "content": calls})
    assert asked.parts == (
        Call("t0", "Read", {"file_path": "/0"}, '{"file_path":"/0"}'),
        Call("t1", "Read", {"file_path": "/1"}, '{"file_path":"/1"}'),
    )
    results = [{"type": "tool_result", "tool_use_id": f"t{i}", "content": f"text {i}"} for i in range(2)]
    answered = message({"role": "user", "content": results})
    assert answered.parts == (Result("t0", "text 0", False), Result("t1", "text 1", False))
    assert not answered.spoken


def test_words_beside_results_do_not_start_a_new_loop() -> None:
    content = [{"type": "tool_result", "tool_use_id": "t", "content": "x"}, {"type": "text", "text": "reminder"}]
    assert not message({"role": "user", "content": content}).spoken


def test_a_result_as_text_or_as_blocks_reads_the_same() -> None:
    assert (
        result("one\ntwo").parts == result([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]).parts
    )


def test_images_and_documents_inside_a_result_belong_to_it() -> None:
    read = result([{"type": "text", "text": "two files"}, PNG, PDF])
    assert read.parts == (
        Result("toolu_1", "two files", False),
        Attachment("image", "image/png", 12, inside=0),
        Attachment("plan.pdf", "application/pdf", 8, inside=0),
    )
    assert read.parts[1].at == ("content", 0, "content", 1)


def test_a_result_without_the_flag_did_not_fail() -> None:
    found = [result("x", **more).parts[0] for more in ({"is_error": True}, {"is_error": False}, {})]
    assert [part.error for part in found if isinstance(part, Result)] == [True, False, False]


def test_a_result_without_content_is_empty() -> None:
    assert result(None).parts == (Result("toolu_1", "", False),)
    assert result([]).parts == (Result("toolu_1", "", False),)


def test_a_result_with_tool_references_brings_definitions() -> None:
    part = result([{"type": "tool_reference", "tool_name": "TaskCreate"}]).parts[0]
    assert isinstance(part, Result)
    assert part.defines


def test_the_cache_marker_inside_a_result_is_remembered() -> None:
    marker = {"type": "ephemeral", "ttl": "1h"}
    part = result([{"type": "text", "text": "x", "cache_control": marker}]).parts[0]
    assert isinstance(part, Result)
    assert part.mark == {"cache_control": marker}


SIGNED = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "ZGF0YQ=="}


def test_thinking_is_read_signed_and_redacted() -> None:
    said = {"type": "text", "text": "So."}
    read = message({"role": "assistant", "content": [SIGNED, said, REDACTED, said]})
    assert read.parts == (Thinking("Hm.", hidden=4), Text("So."), Thinking("", hidden=8), Text("So."))


def test_thinking_blocks_side_by_side_are_one_part() -> None:
    read = message({"role": "assistant", "content": [SIGNED, REDACTED, {"type": "text", "text": "So."}]})
    assert read.parts == (Thinking("Hm.", hidden=12), Text("So."))
    assert json.loads(write(read, {0: Gone()}))["content"] == [{"type": "text", "text": "So."}]


def test_a_tool_of_an_mcp_server_is_called_and_answered_by_the_provider() -> None:
    call = {"type": "mcp_tool_use", "id": "m1", "name": "find", "server_name": "docs", "input": {"q": "x"}}
    answer = {"type": "mcp_tool_result", "tool_use_id": "m1", "content": [{"type": "text", "text": "found"}]}
    read = message({"role": "assistant", "content": [call, {**answer, "is_error": False}]})
    assert read.parts == (
        Call("m1", "mcp__docs__find", {"q": "x"}, '{"q":"x"}'),
        Result("m1", "found", error=False),
    )


def test_a_call_by_code_of_the_model_is_left_alone() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/a"}}
    by_code = {**call, "caller": {"type": "code_execution_20260120", "tool_id": "s1"}}
    read = message({"role": "assistant", "content": [by_code, {**call, "caller": {"type": "direct"}}]})
    assert [type(part) for part in read.parts] == [Opaque, Call]


def test_the_size_of_a_plain_document_is_that_of_its_text() -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "x" * 3000}
    part = message({"role": "user", "content": [{"type": "document", "source": source}]}).parts[0]
    assert part == Attachment("document", "text/plain", 4000)


def test_server_tools_and_unknown_blocks_are_left_alone() -> None:
    kinds = ["server_tool_use", "web_search_tool_result", "container_upload", "from_the_future"]
    blocks = [{"type": kind, "id": "s1", "input": {"query": "x"}} for kind in kinds]
    parts = message({"role": "assistant", "content": blocks}).parts
    assert all(isinstance(part, Opaque) for part in parts)
    assert [part.type for part in parts if isinstance(part, Opaque)] == kinds


def test_blocks_that_are_no_objects_are_left_alone() -> None:
    parts = message({"role": "user", "content": [None, 3, "x", ["y"]]}).parts
    assert all(isinstance(part, Opaque) for part in parts)


def test_content_of_an_unknown_kind_has_no_parts() -> None:
    assert message({"role": "user", "content": {"a": 1}}).parts == ()
    assert message({"role": "user"}).parts == ()
