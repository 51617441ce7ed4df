"""Responses items as Codex and OpenCode send them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import prunus
from prunus.edits import Added
from prunus.history import Attachment, Call, Message, Opaque, Result, Text, Thinking
from prunus.providers import frame, parse, provider_named, read, write


def item(**value: Any) -> Message:
    return parse(provider_named("openai_responses"), json.dumps(value).encode(), 0)


@pytest.mark.parametrize(
    ("role", "kind"), [("user", "input_text"), ("assistant", "output_text"), ("developer", "input_text")]
)
def test_messages_are_text(role: str, kind: str) -> None:
    read = item(type="message", role=role, content=[{"type": kind, "text": "Hi"}])
    assert read.parts == (Text("Hi"),)
    assert read.spoken == (role == "user")


def test_a_message_needs_no_type_and_may_be_plain_text() -> None:
    assert item(role="user", content="Hi").parts == (Text("Hi"),)


def test_items_of_one_step_join() -> None:
    assert item(type="reasoning", summary=[]).joins
    assert item(type="function_call", call_id="c", name="f", arguments="{}").joins
    assert not item(type="function_call_output", call_id="c", output="x").joins


def test_a_function_call_reads_its_arguments() -> None:
    read = item(type="function_call", id="fc_1", call_id="c1", name="exec_command", arguments='{"cmd":"ls"}')
    assert read.parts == (Call("c1", "exec_command", {"cmd": "ls"}, '{"cmd":"ls"}', quoted=True),)


def test_a_custom_call_carries_plain_text() -> None:
    read = item(type="custom_tool_call", call_id="c1", name="apply_patch", input="*** Begin Patch")
    assert read.parts == (Call("c1", "apply_patch", "*** Begin Patch", "*** Begin Patch"),)


def test_a_shell_call_carries_its_action_which_stays_whole() -> None:
    action = {"type": "exec", "command": ["ls"], "env": {}}
    read = item(type="local_shell_call", call_id="c1", action=action, status="completed")
    assert read.parts == (
        Call("c1", "local_shell", action, '{"type":"exec","command":["ls"],"env":{}}', fixed=True),
    )


@pytest.mark.parametrize("kind", ["function_call_output", "custom_tool_call_output", "local_shell_call_output"])
def test_outputs_are_results(kind: str) -> None:
    assert item(type=kind, call_id="c1", output="done").parts == (Result("c1", "done"),)
    assert item(type=kind, call_id="c1", output="done").role == "tool"


def test_an_output_of_parts_joins_its_texts_and_keeps_its_image() -> None:
    output = [
        {"type": "input_text", "text": "Script completed"},
        {"type": "input_text", "text": "a.py"},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "encrypted", "x": 1},
    ]
    assert item(type="function_call_output", call_id="c1", output=output).parts == (
        Result("c1", "Script completed\na.py"),
        Attachment("input_image", "image/png", 12, inside=0),
        Opaque("encrypted", '{"type":"encrypted","x":1}', inside=0),
    )


def test_encrypted_content_counts_as_reasoning() -> None:
    summary = [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}]
    read = item(type="reasoning", summary=summary, content=None, encrypted_content="Z0FBQQ==")
    assert read.parts == (Thinking("One.\nTwo.", hidden=8),)


def test_reasoning_with_an_id_is_bound() -> None:
    assert item(type="reasoning", id="rs_1", summary=[]).parts == (Thinking("", fixed=True),)


@pytest.mark.parametrize("kind", ["additional_tools", "tool_search_output", "mcp_list_tools"])
def test_items_with_definitions_are_never_touched(kind: str) -> None:
    read = item(type=kind, tools=[{"name": "x"}])
    assert read.definitions
    assert isinstance(read.parts[0], Opaque)


@pytest.mark.parametrize(
    "kind", ["tool_search_call", "compaction", "item_reference", "web_search_call", "from_the_future"]
)
def test_other_items_are_left_alone(kind: str) -> None:
    assert isinstance(item(type=kind, id="x").parts[0], Opaque)


def test_a_history_held_by_the_provider_is_not_pruned() -> None:
    text = "word " * 400
    calls = [
        {"type": kind, "call_id": f"c{i}", **more}
        for i in range(6)
        for kind, more in (
            ("function_call", {"name": "exec_command", "arguments": '{"cmd":"cat a.py"}'}),
            ("function_call_output", {"output": text}),
        )
    ]
    open_body = {"model": "gpt-5.5", "input": calls}
    assert prunus.prune(json.dumps(open_body).encode()).edits
    held = json.dumps({**open_body, "previous_response_id": "resp_1"}).encode()
    out = prunus.prune(held)
    assert (out.body, out.edits, out.error) == (held, (), None)


def test_a_null_previous_response_holds_nothing() -> None:
    assert not frame(b'{"previous_response_id": null, "input": [{"role": "user", "content": "x"}]}').closed


def test_input_that_is_one_string_is_one_message_of_the_user() -> None:
    body = rb'{"model": "gpt-5.5", "input" : "Hello\u0020you" , "stream": true}'
    out = prunus.prune(body)
    assert (out.body, out.error, out.report.messages) == (body, None, 1)
    [message] = read(body).messages
    assert (message.role, message.spoken, message.parts) == ("user", True, (Text("Hello you", at=("content",)),))


def test_an_edit_in_a_string_makes_a_list_of_it() -> None:
    body = rb'{"model": "gpt-5.5", "input" : "Hello" , "stream": true}'
    cut = frame(body)
    longer = write(parse(cut.format, cut.raw(0), 0), {0: Added(" you")})
    made = cut.assemble([0], {0: longer}, [0])
    assert made == rb'{"model": "gpt-5.5", "input" : [{"role":"user","content":"Hello you"}] , "stream": true}'


@pytest.mark.parametrize("written", [json.loads, lambda body: body])
def test_a_conversation_that_began_with_a_string_goes_on_as_a_list(written: Any) -> None:
    pruner = prunus.Pruner()
    said = {"role": "user", "content": "Hello"}
    answer = {"role": "assistant", "content": "Hi"}
    first = pruner.prune(written(b'{"input": "Hello"}'))
    again = pruner.prune(written(b'{"input": "Hello"}'))
    later = pruner.prune(written(json.dumps({"input": [said, answer, said]}).encode()))
    assert [one.request for one in (first, again, later)] == [1, 2, 3]
    assert first.conversation == again.conversation == later.conversation


def test_a_reference_needs_no_type_and_is_nobodys_words() -> None:
    read = item(id="msg_1")
    assert (read.parts, read.spoken) == ((Opaque("item_reference", '{"id":"msg_1"}'),), False)


def test_reasoning_counts_its_summary_and_its_text() -> None:
    summary, content = [{"type": "summary_text", "text": "a"}], [{"type": "reasoning_text", "text": "b"}]
    assert item(type="reasoning", summary=summary, content=content).parts == (Thinking("a\nb"),)


def test_a_shell_call_has_commands_and_its_output_has_streams() -> None:
    call = item(type="shell_call", call_id="s1", action={"commands": ["ls", "cat a"], "timeout_ms": 5})
    assert call.parts == (
        Call("s1", "shell", {"command": "ls\ncat a"}, '{"commands":["ls","cat a"],"timeout_ms":5}', fixed=True),
    )
    chunks = [
        {"stdout": "a\nb", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
        {"stdout": "", "stderr": "no a", "outcome": {"type": "exit", "exit_code": 1}},
    ]
    answer = item(type="shell_call_output", call_id="s1", output=chunks)
    assert (answer.role, answer.parts) == ("tool", (Result("s1", "a\nb\nno a", error=True),))


def test_an_output_without_text_cannot_change() -> None:
    part = item(type="shell_call_output", call_id="s1", output=[]).parts[0]
    assert isinstance(part, Result)
    assert part.at == ()


@pytest.mark.parametrize(
    ("operation", "line"),
    [
        ({"type": "create_file", "path": "a.py", "diff": "+x"}, "*** Add File: a.py\n+x"),
        ({"type": "update_file", "path": "a.py", "diff": "@@\n-x\n+y"}, "*** Update File: a.py\n@@\n-x\n+y"),
        ({"type": "delete_file", "path": "a.py"}, "*** Delete File: a.py\n"),
    ],
)
def test_an_operation_is_read_as_a_patch(operation: dict[str, str], line: str) -> None:
    part = item(type="apply_patch_call", call_id="p1", status="completed", operation=operation).parts[0]
    assert isinstance(part, Call)
    assert (part.tool, part.fixed) == ("apply_patch", True)
    assert part.input == {"input": f"*** Begin Patch\n{line}\n*** End Patch"}
    answer = item(type="apply_patch_call_output", call_id="p1", status="failed", output="no such line")
    assert answer.parts == (Result("p1", "no such line", error=True),)


def test_calls_of_a_program_and_their_outputs_are_left_alone() -> None:
    caller = {"type": "program", "caller_id": "pr_1"}
    call = item(type="function_call", call_id="c", name="f", arguments="{}", caller=caller)
    output = item(type="function_call_output", call_id="c", output="x", caller=caller)
    assert [type(part) for one in (call, output) for part in one.parts] == [Opaque, Opaque]
    direct = item(type="function_call", call_id="c", name="f", arguments="{}", caller={"type": "direct"})
    assert isinstance(direct.parts[0], Call)


@pytest.mark.parametrize("kind", ["web_search_call", "mcp_call", "program", "item_reference"])
def test_reasoning_stays_before_an_item_that_only_the_provider_reads(kind: str) -> None:
    reasoning = {"type": "reasoning", "summary": [], "encrypted_content": "x" * 4000}
    items: list[Any] = [{"role": "user", "content": "Hi"}, reasoning, {"type": kind, "id": "x_1"}]
    for i in range(6):
        items += [{"role": "assistant", "content": f"Done {i}."}, {"role": "user", "content": "More."}]
    body = {"model": "gpt-5.5", "input": items}
    out = prunus.Pruner(prunus.Settings(schedule="eager")).prune(body, now=0.0)
    assert out.error is None
    assert out.body == body
