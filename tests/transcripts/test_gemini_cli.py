from typing import Any


def call(id: str, *result: dict[str, Any], status: str = "success") -> dict[str, Any]:
    return {"id": id, "name": "read_file", "args": {"p": id}, "status": status, "result": list(result)}


def response(id: str) -> dict[str, Any]:
    return {"functionResponse": {"id": id, "name": "read_file", "response": {"output": id}}}


def wire(id: str) -> dict[str, Any]:
    return {"functionCall": {"id": id, "name": "read_file", "args": {"p": id}}}


def chat(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"sessionId": "s", "messages": list(messages)}


def test_calls_and_responses_become_contents_without_thoughts(document):
    (session,) = document(
        chat(
            {"type": "user", "content": "Go", "timestamp": "2026-01-01T00:00:00Z"},
            {"type": "info", "content": "Update available"},
            {
                "type": "gemini",
                "content": "",
                "model": "gemini-test",
                "thoughts": [{"subject": "s", "description": "d"}],
                "toolCalls": [call("1", response("1")), call("2", response("2"), status="error")],
                "timestamp": "2026-01-01T00:00:09Z",
            },
            {"type": "gemini", "content": "Done"},
        )
    )
    assert session.messages == (
        {"role": "user", "parts": [{"text": "Go"}]},
        {"role": "model", "parts": [wire("1"), wire("2")]},
        {"role": "user", "parts": [response("1"), response("2")]},
        {"role": "model", "parts": [{"text": "Done"}]},
    )
    assert session.requests == (1, 3)
    assert session.times == (1767225600.0, 1767225609.0)
    assert (session.agent, session.format, session.model) == ("gemini-cli", "gemini", "gemini-test")


def test_cancelled_calls_without_response_are_left_out(document):
    (session,) = document(
        chat(
            {"type": "user", "content": [{"text": "Go"}]},
            {"type": "gemini", "content": "Wait", "toolCalls": [call("1", status="cancelled")]},
            {"type": "user", "content": "No"},
            {"type": "gemini", "content": "Cut", "toolCalls": [call("2", status="cancelled")]},
        )
    )
    assert [m["parts"] for m in session.messages] == [[{"text": "Go"}], [{"text": "Wait"}], [{"text": "No"}]]
    assert session.requests == (1, 3)
