from typing import Any

TOOLS = [{"type": "function", "function": {"name": "ls"}}]


def exchange(second: int, *dialogue: dict[str, Any], **request: Any) -> dict[str, Any]:
    system = {"role": "system", "content": f"It is second {second}"}
    body = {"model": "m", "messages": [system, *dialogue], "tools": TOOLS, "max_tokens": 9} | request
    return {"request": body, "response": {}, "timestamp": f"2026-01-01T00:00:{second:02}Z"}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def reply(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def test_the_longest_request_of_a_conversation_shows_the_others(lines):
    talk = [user("Hi"), reply("Hello"), user("Well"), reply("Yes"), user("Bye")]
    (session,) = lines(
        exchange(1, *talk[:1]),
        exchange(2, user("Make a title")),
        exchange(3, *talk[:3]),
        exchange(4, user("Hi"), reply("Another way"), user("No"), reply("So")),
        exchange(5, *talk),
        '{"request"',
    )
    assert session.messages[1:] == tuple(talk)
    assert session.requests == (2, 4, 6)
    assert session.times == (1767225601.0, 1767225603.0, 1767225605.0)
    assert session.body()["tools"] == TOOLS
    assert session.body()["max_tokens"] == 9
    assert session.skipped == 1
    assert (session.agent, session.format, session.model) == ("api-trace", "openai_chat", "m")


def test_anthropic_requests_are_told_by_their_fields(lines):
    talk = [user("Hi"), reply("Hello"), user("Bye")]
    body = {"model": "claude", "system": "Be kind", "messages": talk}
    (session,) = lines({"request": body, "response": {}})
    assert session.format == "anthropic_messages"
    assert session.body()["system"] == "Be kind"
