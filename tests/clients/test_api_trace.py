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


def test_anthropic_requests_are_recognised_by_their_fields(lines):
    talk = [user("Hi"), reply("Hello"), user("Bye")]
    body = {"model": "claude", "system": "Be kind", "messages": talk}
    (session,) = lines({"request": body, "response": {}})
    assert session.format == "anthropic_messages"
    assert session.body()["system"] == "Be kind"


def test_a_cache_marker_that_moves_on_does_not_end_the_conversation(lines):
    def marked(text: str) -> dict[str, Any]:
        block = {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
        return {"role": "user", "content": [block]}

    first = {"system": "Be kind", "messages": [marked("Hi")]}
    second = {"system": "Be kind", "messages": [user("Hi"), reply("Hello"), marked("Bye")]}
    (session,) = lines({"request": first, "response": {}}, {"request": second, "response": {}})
    assert session.requests == (1, 3)


def test_a_log_without_answers_is_read_by_path_and_body(lines):
    talk = [user("Hi"), reply("Hello"), user("Bye")]
    contents = [
        {"role": "user" if m["role"] == "user" else "model", "parts": [{"text": m["content"]}]} for m in talk
    ]
    (session,) = lines(
        {"method": "HEAD", "path": "/", "body": None},
        {"method": "POST", "path": "/v1beta/models/m:generateContent", "body": {"contents": contents[:1]}},
        {"method": "POST", "path": "/v1beta/models/m:generateContent", "body": {"contents": contents}},
    )
    assert (session.format, session.requests, session.skipped) == ("gemini", (1, 3), 1)
