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


HEADER = {"sessionId": "s", "projectHash": "p", "startTime": "2026-01-01T00:00:00Z"}


def said(id: str, type: str, text: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "type": type, "content": text, "timestamp": "2026-01-01T00:00:00Z"} | more


def texts(session) -> list[str]:
    return [part.get("text", "-") for content in session.messages for part in content["parts"]]


def test_lines_are_a_log_in_which_a_message_is_written_again_when_its_calls_end(lines):
    (session,) = lines(
        HEADER,
        said("u1", "user", "Go"),
        {"$set": {"lastUpdated": "2026-01-01T00:00:01Z"}},
        said("g1", "gemini", "I look", model="gemini-test"),
        said("i1", "info", "Update available"),
        said("g1", "gemini", "I look", model="gemini-test", toolCalls=[call("1")]),
        said("g1", "gemini", "I look", model="gemini-test", toolCalls=[call("1", response("1"))]),
        said("g2", "gemini", "Done"),
        {"$set": {"summary": "A title"}},
        '{"id": "g3", "type": "gem',
    )
    assert session.messages == (
        {"role": "user", "parts": [{"text": "Go"}]},
        {"role": "model", "parts": [{"text": "I look"}, wire("1")]},
        {"role": "user", "parts": [response("1")]},
        {"role": "model", "parts": [{"text": "Done"}]},
    )
    assert session.requests == (1, 3)
    assert (session.agent, session.model, session.skipped) == ("gemini-cli", "gemini-test", 1)


def test_a_rewind_takes_a_message_back_with_all_behind_it(lines):
    talk = [
        said("1", "user", "A"),
        said("2", "gemini", "a"),
        said("3", "user", "B"),
        said("4", "gemini", "b"),
    ]
    (session,) = lines(HEADER, *talk, {"$rewindTo": "3"}, said("5", "user", "C"), said("6", "gemini", "c"))
    assert texts(session) == ["A", "a", "C", "c"]
    (session,) = lines(HEADER, *talk, {"$rewindTo": "unknown"}, said("5", "user", "C"), said("6", "gemini", "c"))
    assert texts(session) == ["C", "c"]


def test_a_history_that_was_replaced_is_a_session_of_its_own(lines):
    summary = {"id": "s1", "type": "user", "content": [{"text": "So far"}]}
    thanks = {"id": "s2", "type": "gemini", "content": [{"text": "Got it"}]}
    before, after = lines(
        HEADER,
        said("1", "user", "A"),
        said("2", "gemini", "a"),
        {"$set": {"messages": [summary, thanks]}},
        said("3", "user", "B"),
        said("4", "gemini", "b"),
    )
    assert (texts(before), before.requests) == (["A", "a"], (1,))
    assert (texts(after), after.requests) == (["So far", "Got it", "B", "b"], (3,))


def test_a_history_that_was_written_out_in_full_is_still_the_same_session(lines):
    """Calls stand in the content then, too, and responses in a message of their own and in each of the calls."""
    both = [response("1"), response("2")]
    spelled = [
        {"text": "I look"},
        {"functionCall": {"name": "read_file", "args": {"p": "1"}}, "thoughtSignature": "x"},
    ]
    written = [
        said("u1", "user", "Go"),
        said("g1", "gemini", "", toolCalls=[call("1", *both), call("2", *both)])
        | {"content": [*spelled, wire("2")]},
        {"id": "new", "type": "user", "content": both},
    ]
    (session,) = lines(
        HEADER,
        said("u1", "user", "Go"),
        said("g1", "gemini", "I look", toolCalls=[call("1", response("1")), call("2", response("2"))]),
        {"$set": {"messages": written}},
        said("g2", "gemini", "Done"),
    )
    _, asked, results, _ = session.messages
    assert [part["functionCall"]["id"] for part in asked["parts"][1:]] == ["1", "2"]
    assert results == {"role": "user", "parts": both}
    assert session.requests == (1, 3)


def test_the_history_that_a_chat_starts_with_was_not_asked_for(lines):
    start = [said("c1", "user", "You are in /shop"), said("c2", "gemini", "Good")]
    (session,) = lines(HEADER, {"$set": {"messages": start}}, said("u", "user", "Go"), said("g", "gemini", "Yes"))
    assert texts(session) == ["You are in /shop", "Good", "Go", "Yes"]
    assert session.requests == (3,)


def test_a_chat_without_messages_has_no_session(lines):
    assert lines(HEADER) == ()
    assert lines(HEADER, said("1", "user", "Hello?")) == ()


def test_a_result_may_be_plain_text(document):
    (session,) = document(
        chat(
            {"type": "user", "content": "Go"},
            {"type": "gemini", "content": "", "toolCalls": [call("1") | {"result": "1"}]},
            {"type": "gemini", "content": ["Do", "ne"]},
        )
    )
    assert session.messages[2] == {"role": "user", "parts": [response("1")]}
    assert session.messages[3] == {"role": "model", "parts": [{"text": "Do"}, {"text": "ne"}]}
