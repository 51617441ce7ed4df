import json
from typing import Any


def event(type: str, second: int = 0, **data: Any) -> dict[str, Any]:
    return {"type": type, "data": data, "timestamp": f"2026-01-01T00:00:{second:02}Z"}


def request(id: str) -> dict[str, Any]:
    return {"toolCallId": id, "name": "bash", "arguments": {"command": id}}


START = event("session.start", sessionId="s")
SYSTEM = event("system.message", role="system", content="Be Copilot")


def test_events_become_chat_messages(lines):
    (session,) = lines(
        START,
        SYSTEM,
        event("user.message", 1, content="Go", transformedContent="<date>\nGo"),
        event("hook.start", hookType="x"),
        event("assistant.message", 2, content="", model="m", toolRequests=[request("a"), request("b")]),
        event("tool.execution_start", toolCallId="a", arguments={}),
        event("tool.execution_complete", 3, toolCallId="b", success=False, error={"message": "no b"}),
        event("tool.execution_complete", 4, toolCallId="a", success=True, result={"content": "A"}),
        event("system.notification", 5, content="<done>"),
        event("assistant.message", 6, content="Done"),
    )
    system, user, asked, first, second, note, done = session.messages
    assert (system["role"], user["content"]) == ("system", "<date>\nGo")
    assert [json.loads(c["function"]["arguments"]) for c in asked["tool_calls"]] == [
        {"command": "a"},
        {"command": "b"},
    ]
    assert first == {"role": "tool", "tool_call_id": "a", "content": "A"}
    assert second == {"role": "tool", "tool_call_id": "b", "content": "no b"}
    assert note == {"role": "user", "content": "<done>"}
    assert done == {"role": "assistant", "content": "Done"}
    assert session.requests == (2, 6)
    assert session.times == (1767225601.0, 1767225605.0)
    assert (session.agent, session.format, session.model) == ("copilot-cli", "openai_chat", "m")


def test_compaction_and_sub_agents_are_sessions(lines):
    main, compacted, helper = lines(
        START,
        SYSTEM,
        event("user.message", content="Go"),
        event("assistant.message", content="Going"),
        event("user.message", content="Help", parentToolCallId="t"),
        event("assistant.message", content="Helped", parentToolCallId="t"),
        event("session.compaction_complete", success=True, summaryContent="went"),
        event("assistant.message", content="On"),
    )
    assert len(main.messages) == 3
    assert [m["content"] for m in compacted.messages] == ["Be Copilot", "went", "On"]
    assert [m["content"] for m in helper.messages] == ["Help", "Helped"]
