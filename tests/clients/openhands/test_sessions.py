from typing import Any


def answer(n: int, *ids: str, text: str = "") -> dict[str, Any]:
    calls = [{"id": i, "type": "function", "function": {"name": "execute_bash", "arguments": "{}"}} for i in ids]
    message = {"role": "assistant", "content": text, "tool_calls": calls, "function_call": None}
    return {"id": f"resp{n}", "model": "m", "choices": [{"message": message}]}


def action(
    id: int, kind: str, source: str = "agent", call: str = "", response: Any = None, **args: Any
) -> dict[str, Any]:
    event = {"id": id, "source": source, "action": kind, "args": args, "timestamp": f"2026-01-01T00:00:{id:02}"}
    return event | ({"tool_call_metadata": {"tool_call_id": call, "model_response": response}} if call else {})


def observed(id: int, call: str, content: str, suffix: str = "") -> dict[str, Any]:
    return {
        "id": id,
        "source": "agent",
        "observation": "run",
        "content": content,
        "extras": {"metadata": {"suffix": suffix}},
        "tool_call_metadata": {"tool_call_id": call, "model_response": {"id": "repeated"}},
        "timestamp": f"2026-01-01T00:00:{id:02}",
    }


TOOLS = [{"type": "function", "function": {"name": "execute_bash"}}]
START = [
    action(0, "system", content="Be OpenHands", tools=TOOLS),
    action(1, "message", "user", content="Go"),
    action(2, "recall", "user", query="Go"),
]


def test_actions_of_one_answer_are_one_message(document):
    both = answer(1, "a", "b", text="Two at once")
    (session,) = document(
        [
            *START,
            action(3, "run", call="a", response=both, command="a"),
            action(4, "run", call="b", response=both, command="b"),
            observed(6, "b", "B"),
            observed(5, "a", "A", suffix="\n[exit 0]"),
            action(7, "finish", call="f", response=answer(2, "f"), final_thought="All done"),
        ]
    )
    system, user, asked, first, second, done = session.messages
    assert (system["role"], user["role"]) == ("system", "user")
    assert (asked["content"], [c["id"] for c in asked["tool_calls"]]) == ("Two at once", ["a", "b"])
    assert "function_call" not in asked
    assert (first["content"], second["content"]) == ("A\n[exit 0]", "B")
    assert done == {"role": "assistant", "content": "All done"}
    assert session.requests == (2, 5)
    assert session.body()["tools"] == TOOLS
    assert (session.agent, session.format, session.model) == ("openhands", "openai_chat", "m")


def test_condensation_starts_a_session_with_only_the_newest_summary(document):
    events = [
        *START,
        action(3, "run", call="a", response=answer(1, "a")),
        observed(4, "a", "A"),
        action(5, "condensation", forgotten_event_ids=[3, 4], summary="ran a", summary_offset=2),
        action(6, "run", call="b", response=answer(2, "b")),
        observed(7, "b", "B"),
        action(8, "condensation", forgotten_events_start_id=5, forgotten_events_end_id=5, summary="ran a, b"),
        action(9, "message", content="Done"),
    ]
    first, second, third = document(events)
    assert [m["content"] for m in first.messages] == ["Be OpenHands", "Go", "", "A"]
    assert [m["content"] for m in second.messages] == ["Be OpenHands", "Go", "ran a", "", "B"]
    assert second.requests == (3,)
    assert [m["content"] for m in third.messages] == ["Be OpenHands", "Go", "", "B", "ran a, b", "Done"]
    assert third.requests == (5,)


def test_each_line_with_a_history_is_a_run(lines):
    run = [*START, action(3, "message", content="Done")]
    one, two = lines({"instance_id": "x", "history": run}, {"instance_id": "y", "history": run}, "{cut")
    assert one.messages == two.messages
    assert (one.skipped, two.skipped) == (1, 0)
