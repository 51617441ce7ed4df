from typing import Any


def message(role: str, *blocks: dict[str, Any], second: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "role": role,
        "content": list(blocks),
        "_metadata": {"timestamp": f"2026-01-01T00:00:{second:02}Z"},
    } | more


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def wire(id: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "Bash", "arguments": "{}"}}


def call(id: str, role: str = "assistant", **more: Any) -> dict[str, Any]:
    block = {"type": "tool_call", "tool_call_id": id, "name": "Bash", "arguments": "{}"}
    return message(role, block, tool_calls=[wire(id)], **more)


def output(id: str, role: str = "tool", **more: Any) -> dict[str, Any]:
    return message(role, {"type": "tool_output", "text": f"out {id}"}, tool_call_id=id, **more)


def test_split_answers_are_put_together_and_calls_counted_once(document):
    messages = [
        message("user", said("Go"), second=1),
        message("assistant", said("I look")),
        call("a"),
        call("b"),
        output("b", second=2),
        output("a", second=3),
        message("assistant", said("Done")),
    ]
    (session,) = document({"messages": messages, "meta": {"models": ["m"]}})
    assert session.messages == (
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": "I look", "tool_calls": [wire("a"), wire("b")]},
        {"role": "tool", "tool_call_id": "a", "content": "out a"},
        {"role": "tool", "tool_call_id": "b", "content": "out b"},
        {"role": "assistant", "content": "Done"},
    )
    assert session.requests == (1, 4)
    assert session.times == (1767225601.0, 1767225603.0)
    assert (session.agent, session.format, session.model) == ("chat-export", "openai_chat", "m")


def test_sub_agents_are_sessions_with_their_own_roles(document):
    helper = "assistant-subagent-77"
    main, sub = document(
        {
            "messages": [
                message("user", said("Go")),
                message(helper, said("Look around"), _metadata={"original_role": "user"}),
                call("h", role=helper, _metadata={"original_role": "assistant"}),
                message("assistant", said("Waiting")),
                output("h", role=helper, _metadata={"original_role": "user"}),
                message(helper, said("Looked"), _metadata={"original_role": "assistant"}),
            ]
        }
    )
    assert [m["role"] for m in main.messages] == ["user", "assistant"]
    assert [m["role"] for m in sub.messages] == ["user", "assistant", "tool", "assistant"]


def test_sub_agents_that_only_the_source_marks_are_sessions_of_their_own(document):
    def aside(one: dict[str, Any], source: str = "subagent") -> dict[str, Any]:
        return one | {"_metadata": {"source": source}}

    main, first, second, third = document(
        {
            "messages": [
                message("user", said("Go")),
                call("a"),
                aside(message("user", said("Look around"))),
                aside(call("h")),
                output("h"),
                aside(message("assistant", said("Looked"))),
                aside(message("user", said("Look again"))),
                aside(message("assistant", said("Seen"))),
                aside(message("user", said("Count")), "subagent-3"),
                aside(message("assistant", said("Three")), "subagent-3"),
                output("a"),
                message("assistant", said("Done")),
            ]
        }
    )
    assert [m["role"] for m in main.messages] == ["user", "assistant", "tool", "assistant"]
    assert [m["content"] for m in first.messages][::2] == ["Look around", "out h"]
    assert [m["content"] for m in second.messages] == ["Look again", "Seen"]
    assert [m["content"] for m in third.messages] == ["Count", "Three"]


def test_a_call_without_result_in_the_middle_is_left_out(document):
    messages = [
        message("user", said("Go")),
        call("a"),
        message("user", said("Stop")),
        message("assistant", said("Ok")),
    ]
    (session,) = document({"messages": messages})
    assert [m["content"] for m in session.messages] == ["Go", "Stop", "Ok"]
