from typing import Any


def event(id: int, kind: str, source: str = "agent", **fields: Any) -> dict[str, Any]:
    placed = {"id": f"e{id}", "kind": kind, "source": source, "timestamp": f"2026-01-01T00:00:{id:02}"}
    return placed | fields


def block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def message(id: int, role: str, text: str, **more: Any) -> dict[str, Any]:
    source = "agent" if role == "assistant" else "user"
    return event(id, "MessageEvent", source, llm_message={"role": role, "content": [block(text)]}, **more)


def action(id: int, call: str, answer: str, thought: str = "", **more: Any) -> dict[str, Any]:
    wire = {"id": call, "name": "terminal", "arguments": '{"command": "ls"}'}
    thoughts = [block(thought)] if thought else []
    return event(
        id, "ActionEvent", tool_call_id=call, tool_call=wire, llm_response_id=answer, thought=thoughts, **more
    )


def observed(id: int, call: str, text: str, **more: Any) -> dict[str, Any]:
    return (
        event(id, "ObservationEvent", "environment", tool_call_id=call, observation={"content": [block(text)]})
        | more
    )


START = [event(0, "SystemPromptEvent", system_prompt=block("Be OpenHands"), tools=[]), message(1, "user", "Go")]


def test_actions_of_one_answer_are_one_message(document):
    (session,) = document(
        [
            *START,
            action(2, "a", "r1", "Two at once", reasoning_content="hm"),
            action(3, "b", "r1"),
            observed(4, "b", "B"),
            observed(5, "a", "A", extended_content=[block("A rule")]),
            event(6, "ConversationStateUpdateEvent", "environment", key="x"),
            action(7, "c", "r2"),
            event(8, "AgentErrorEvent", tool_call_id="c", error="no such tool"),
            action(9, "d", "r3"),
            event(10, "UserRejectObservation", "user", tool_call_id="d", rejection_reason="No"),
            message(11, "assistant", "Done"),
        ]
    )
    asked = session.messages[2]
    assert (asked["content"], asked["reasoning_content"]) == ("Two at once", "hm")
    assert [call["id"] for call in asked["tool_calls"]] == ["a", "b"]
    assert [m["content"] for m in session.messages if m["role"] == "tool"] == [
        "A\nA rule",
        "B",
        "no such tool",
        "Action rejected: No",
    ]
    assert session.requests == (2, 5, 7, 9)
    assert session.times == (1767225601.0, 1767225605.0, 1767225608.0, 1767225610.0)
    assert (session.agent, session.format) == ("openhands-sdk", "openai_chat")


def test_condensation_starts_a_session_with_the_summary_at_its_place(document):
    events = [
        *START,
        action(2, "a", "r1"),
        observed(3, "a", "A"),
        event(
            4, "Condensation", "environment", forgotten_event_ids=["e2", "e3"], summary="ran a", summary_offset=2
        ),
        action(5, "b", "r2"),
        observed(6, "b", "B"),
        event(7, "Condensation", "environment", forgotten_event_ids=["e5", "e6"], summary="ran a, b"),
        message(8, "assistant", "Done"),
    ]
    first, second, third = document(events)
    assert [m["content"] for m in first.messages] == ["Be OpenHands", "Go", "", "A"]
    assert [m["content"] for m in second.messages] == ["Be OpenHands", "Go", "ran a", "", "B"]
    assert second.requests == (3,)
    assert [m["content"] for m in third.messages] == ["Be OpenHands", "Go", "ran a, b", "Done"]
    assert third.requests == (3,)
