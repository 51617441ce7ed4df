from typing import Any


def message(id: str, role: str, *parts: dict[str, Any], **info: Any) -> dict[str, Any]:
    model = {"modelID": "m"} if role == "assistant" else {}
    created = {"time": {"created": 1767225600000 + int(id) * 1000}}
    return {"info": {"id": id, "role": role} | model | created | info, "parts": list(parts)}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def tool(status: str) -> dict[str, Any]:
    return {"type": "tool", "tool": "bash", "callID": "c", "state": {"status": status, "input": {}, "output": "ok"}}


def export(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"info": {"id": "ses_1"}, "messages": list(messages)}


def ids(session) -> list[str]:
    return [m["info"]["id"] for m in session.messages]


def test_messages_are_as_exported_and_each_answer_was_a_request(document):
    start, finish = {"type": "step-start"}, {"type": "step-finish"}
    messages = [
        message("1", "user", said("Go")),
        message("2", "assistant", start, tool("completed"), finish),
        message("3", "assistant", start, said("Done"), finish),
    ]
    (session,) = document(export(*messages), before="Exporting session: ses_1\n")
    assert session.messages == tuple(messages)
    assert session.requests == (1, 2)
    assert session.times == (1767225602.0, 1767225603.0)
    assert (session.agent, session.format, session.model) == ("opencode", "opencode", "m")
    assert session.body() == messages[:2]


def test_interrupted_calls_go_and_the_text_before_them_stays(document):
    (session,) = document(
        export(
            message("1", "user", said("Go")),
            message("2", "assistant", said("Wait"), tool("running")),
            message("3", "assistant", {"type": "step-start"}, tool("pending")),
            message("4", "user", said("Go on")),
            message("5", "assistant", said("Done")),
        )
    )
    assert ids(session) == ["1", "2", "4", "5"]
    assert session.messages[1]["parts"] == [said("Wait")]


def test_an_interrupted_call_at_the_end_goes_with_its_message(document):
    (session,) = document(
        export(message("1", "user", said("Go")), message("2", "assistant", said("Wait"), tool("running")))
    )
    assert ids(session) == ["1"]
    assert session.requests == (1,)


def test_compaction_starts_a_session_of_summary_and_spared_messages(document):
    first, second = document(
        export(
            message("1", "user", said("Go")),
            message("2", "assistant", tool("completed")),
            message("3", "assistant", said("Halfway")),
            message("4", "user", {"type": "compaction", "tail_start_id": "3"}),
            message("5", "assistant", said("Summary"), summary=True),
            message("6", "user", said("Continue")),
            message("7", "assistant", said("Done")),
        )
    )
    assert ids(first) == ["1", "2", "3"]
    assert ids(second) == ["4", "5", "3", "6", "7"]
    assert second.requests == (4,)


def test_the_provider_s_count_of_each_request_is_read(document):
    tokens = {"input": 100, "output": 9, "reasoning": 0, "cache": {"read": 2_000, "write": 30}}
    (session,) = document(
        export(message("1", "user", said("Go")), message("2", "assistant", said("Done"), tokens=tokens))
    )
    assert session.billed == (2_130,)
