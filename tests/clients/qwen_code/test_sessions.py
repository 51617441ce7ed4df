from typing import Any


def record(uuid: str, parent: str | None, type: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    role = "model" if type == "assistant" else "user"
    line = {"uuid": uuid, "parentUuid": parent, "sessionId": "s", "type": type, "timestamp": "2026-01-01T00:00:00Z"}
    return line | {"message": {"role": role, "parts": list(parts)}} | more


def event(uuid: str, parent: str | None, subtype: str, payload: Any) -> dict[str, Any]:
    line = {"uuid": uuid, "parentUuid": parent, "sessionId": "s", "type": "system", "subtype": subtype}
    return line | {"systemPayload": payload}


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"text": text} | more


def call(id: str) -> dict[str, Any]:
    return {"functionCall": {"id": id, "name": "read_file", "args": {"file_path": id}}}


def response(id: str) -> dict[str, Any]:
    return {"functionResponse": {"id": id, "name": "read_file", "response": {"output": id}}}


def texts(session) -> list[str]:
    return [part.get("text", "-") for content in session.messages for part in content["parts"]]


def test_contents_are_sent_as_recorded_with_the_responses_together(lines):
    image = {"inlineData": {"mimeType": "image/png", "data": "x"}}
    (session,) = lines(
        event("0", None, "session_model", {"modelId": "m"}),
        record("1", "0", "user", said("Go")),
        record("2", "1", "assistant", said("hm", thought=True), call("a"), call("b"), model="qwen-test"),
        record("3", "2", "tool_result", response("b"), toolCallResult={"resultDisplay": "B"}),
        record("4", "3", "tool_result", response("a"), image),
        event("5", "4", "ui_telemetry", {"uiEvent": {}}),
        record("6", "5", "assistant", said("Done")),
        "{cut",
    )
    assert session.messages == (
        {"role": "user", "parts": [said("Go")]},
        {"role": "model", "parts": [said("hm", thought=True), call("a"), call("b")]},
        {"role": "user", "parts": [response("a"), image, response("b")]},
        {"role": "model", "parts": [said("Done")]},
    )
    assert session.requests == (1, 3)
    assert (session.agent, session.format, session.model) == ("qwen-code", "gemini", "qwen-test")
    assert session.skipped == 1


def test_rewound_messages_are_left_out(lines):
    (session,) = lines(
        record("1", None, "user", said("A")),
        record("2", "1", "assistant", said("a")),
        record("3", "2", "user", said("B")),
        record("4", "3", "assistant", said("b")),
        event("5", "2", "rewind", {"truncatedCount": 2}),
        record("6", "5", "user", said("C")),
        record("7", "6", "assistant", said("c")),
    )
    assert texts(session) == ["A", "a", "C", "c"]


def test_a_compressed_history_is_a_session_of_its_own(lines):
    history = [{"role": "user", "parts": [said("So far")]}, {"role": "model", "parts": [said("Got it")]}]
    before, after = lines(
        record("1", None, "user", said("A")),
        record("2", "1", "assistant", said("a")),
        event("3", "2", "chat_compression", {"info": {}, "compressedHistory": history}),
        record("4", "3", "user", said("B")),
        record("5", "4", "assistant", said("b")),
    )
    assert (texts(before), before.requests) == (["A", "a"], (1,))
    assert (texts(after), after.requests) == (["So far", "Got it", "B", "b"], (3,))


def test_a_sub_agents_answer_comes_in_several_records(lines):
    beside = {"isSidechain": True, "agentId": "explore-1"}
    main, helper = lines(
        record("1", None, "user", said("Go")),
        record("2", "1", "assistant", said("Going")),
        record("h1", None, "user", said("Look"), **beside),
        record("h2", "h1", "assistant", said("I look"), **beside),
        record("h3", "h2", "assistant", call("a"), **beside),
        record("h4", "h3", "tool_result", response("a"), **beside),
        record("h5", "h4", "assistant", said("Seen"), **beside),
    )
    assert texts(main) == ["Go", "Going"]
    assert helper.messages[1] == {"role": "model", "parts": [said("I look"), call("a")]}
    assert helper.requests == (1, 3)


def test_a_forked_agent_begins_with_the_history_that_it_was_given(lines):
    history = [{"role": "user", "parts": [said("A")]}, {"role": "model", "parts": [said("a")]}]
    (session,) = lines(
        event("0", None, "agent_bootstrap", {"kind": "fork", "history": history}),
        record("1", "0", "user", said("Begin")),
        record("2", "1", "assistant", said("Begun")),
    )
    assert texts(session) == ["A", "a", "Begin", "Begun"]
    assert session.requests == (3,)


def test_a_record_without_its_message_is_counted(lines):
    broken = {"uuid": "2", "parentUuid": "1", "sessionId": "s", "type": "assistant"}
    (session,) = lines(
        record("1", None, "user", said("Go")), broken, record("3", "2", "assistant", said("Yes"), model="m")
    )
    assert (texts(session), session.skipped) == (["Go", "Yes"], 1)


def test_a_circle_of_parents_ends(lines):
    (session,) = lines(
        record("1", "2", "user", said("Go")),
        record("2", "1", "assistant", said("Yes")),
    )
    assert texts(session) == ["Go", "Yes"]
