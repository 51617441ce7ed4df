import json
from typing import Any


def trajectory(*history: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"trajectory": [], "history": list(history), "info": {}} | more


SYSTEM = {"role": "system", "content": "Be SWE-agent", "agent": "main"}
DEMO = {"role": "user", "content": "A demonstration", "is_demo": True, "agent": "main"}


def act(action: str) -> dict[str, Any]:
    return {"role": "assistant", "content": f"hm\n```\n{action}```", "thought": "hm", "action": action}


def test_text_actions_become_calls_of_the_tool_they_name(document):
    (session,) = document(
        trajectory(
            SYSTEM,
            DEMO,
            {"role": "user", "content": "Fix it"},
            act("open a.py 10\n"),
            {"role": "user", "content": "[File: a.py]"},
            {"role": "assistant", "content": "I think", "thought": "I think", "action": ""},
            {"role": "user", "content": "Give a command"},
            act("submit"),
        )
    )
    assert session.messages[0] == {"role": "system", "content": "Be SWE-agent"}
    assert session.messages[1] == {"role": "user", "content": "A demonstration"}
    asked, result = session.messages[3:5]
    (call,) = asked["tool_calls"]
    assert (asked["content"], call["function"]["name"]) == ("hm", "open")
    assert json.loads(call["function"]["arguments"]) == {"command": "open a.py 10\n"}
    assert result == {"role": "tool", "tool_call_id": call["id"], "content": "[File: a.py]"}
    assert [m["content"] for m in session.messages[5:]] == ["I think", "Give a command"]
    assert session.requests == (3, 5, 7)
    assert session.agent == "swe-agent"


def test_recorded_tool_calls_stay_as_they_are(document):
    call = {"id": "c", "type": "function", "function": {"name": "create", "arguments": '{ "path": "a" }'}}
    config = json.dumps({"agent": {"model": {"name": "gpt-test"}}})
    (session,) = document(
        trajectory(
            SYSTEM,
            {"role": "assistant", "content": "hm", "action": "create a", "tool_calls": [call]},
            {"role": "tool", "content": "created", "tool_call_ids": ["c"], "message_type": "observation"},
            replay_config=config,
        )
    )
    assert session.messages[1] == {"role": "assistant", "content": "hm", "tool_calls": [call]}
    assert session.messages[2] == {"role": "tool", "content": "created", "tool_call_id": "c"}
    assert session.model == "gpt-test"
