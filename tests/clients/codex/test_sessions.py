from typing import Any


def item(type: str, second: int = 0, **fields: Any) -> dict[str, Any]:
    payload = {"type": type} | fields
    return {"timestamp": f"2026-01-01T00:00:{second:02}Z", "type": "response_item", "payload": payload}


def message(role: str, text: str, second: int = 0) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", second, role=role, content=[{"type": kind, "text": text}])


def call(id: str, second: int = 0) -> dict[str, Any]:
    return item("function_call", second, name="shell", arguments="{}", call_id=id)


def output(id: str, second: int = 0) -> dict[str, Any]:
    return item("function_call_output", second, call_id=id, output="ok")


META = {"type": "session_meta", "payload": {"id": "x", "base_instructions": {"text": "Be Codex"}}}
CONTEXT = {"type": "turn_context", "payload": {"model": "gpt-test"}}
REASONING = item("reasoning", summary=[], encrypted_content="e")


def kinds(session) -> list[str]:
    return [m.get("role") or m["type"] for m in session.messages]


def test_items_are_sent_as_recorded_and_a_run_of_the_model_is_one_request(lines):
    patch = item("custom_tool_call", name="apply_patch", input="*** Begin", call_id="p", status="completed")
    done = item("custom_tool_call_output", 9, call_id="p", output="Done")
    records = [message("user", "Go", 1), REASONING, call("a", 2), call("b", 2), output("b", 4), output("a", 5)]
    tail = [patch, done, message("assistant", "Finished")]
    shown = {"type": "event_msg", "payload": {"type": "agent_message", "message": "Finished"}}
    (session,) = lines(META, CONTEXT, *records, *tail, shown)
    assert session.messages == tuple(record["payload"] for record in [*records, *tail])
    assert session.requests == (1, 6, 8)
    assert session.times == (1767225601.0, 1767225605.0, 1767225609.0)
    assert (session.agent, session.format, session.model) == ("codex", "openai_responses", "gpt-test")
    assert session.body()["instructions"] == "Be Codex"


def test_a_call_without_output_goes_with_the_reasoning_that_led_to_it(lines):
    interrupted = [message("user", "Go"), REASONING, call("lost")]
    (session,) = lines(META, *interrupted, message("user", "Again"), message("assistant", "Yes"))
    assert kinds(session) == ["user", "user", "assistant"]
    assert session.requests == (1, 2)


def test_reasoning_stays_before_what_is_left_of_its_answer(lines):
    records = [message("user", "Go"), REASONING, call("a"), call("lost"), output("a")]
    (session,) = lines(META, *records, message("assistant", "Yes"))
    assert kinds(session) == ["user", "reasoning", "function_call", "function_call_output", "assistant"]


def test_reasoning_recorded_last_goes_before_its_answer(lines):
    records = [message("user", "Go"), call("a"), REASONING, output("a"), message("assistant", "Yes")]
    (session,) = lines(META, *records, REASONING)
    assert kinds(session) == [
        "user",
        "reasoning",
        "function_call",
        "function_call_output",
        "reasoning",
        "assistant",
    ]


def test_reasoning_that_led_to_nothing_is_left_out(lines):
    (session,) = lines(
        META, message("user", "Go"), REASONING, message("user", "Well?"), message("assistant", "Yes")
    )
    assert kinds(session) == ["user", "user", "assistant"]


def test_an_unanswered_call_at_the_end_goes_with_its_answer(lines):
    (session,) = lines(META, message("user", "Go"), message("assistant", "I start"), call("lost"))
    assert kinds(session) == ["user"]
    assert session.requests == (1,)


def test_an_output_without_call_is_left_out(lines):
    (session,) = lines(META, output("lost"), message("user", "Go"), message("assistant", "Yes"))
    assert kinds(session) == ["user", "assistant"]


def test_compaction_starts_from_the_replacement_history(lines):
    history = [message("user", "Go")["payload"], message("assistant", "Summary")["payload"]]
    compacted = {"type": "compacted", "payload": {"message": "", "replacement_history": history}}
    before = [message("user", "Go"), message("assistant", "Yes")]
    first, second = lines(META, CONTEXT, *before, compacted, message("user", "More"), message("assistant", "Sure"))
    assert kinds(second) == ["user", "assistant", "user", "assistant"]
    assert second.requests == (3,)
    assert second.model == "gpt-test"
    assert len(first.messages) == 2


def test_compaction_without_history_keeps_what_people_wrote_and_the_summary(lines):
    compacted = {"type": "compacted", "payload": {"message": "We said yes"}}
    before = [message("developer", "Rules"), message("user", "Go"), message("assistant", "Yes")]
    _, second = lines(META, *before, compacted, message("assistant", "Sure"))
    assert kinds(second) == ["developer", "user", "user", "assistant"]
    assert second.messages[2]["content"] == [{"type": "input_text", "text": "We said yes"}]


def test_damaged_lines_are_counted(lines):
    broken = {"type": "response_item", "payload": None}
    (session,) = lines(META, message("user", "Go"), broken, message("assistant", "Yes"), '{"type":"resp')
    assert session.skipped == 2


def test_the_provider_s_count_of_each_request_is_read(lines):
    def count(tokens: int) -> dict[str, Any]:
        info = {"total_token_usage": {"input_tokens": 9_999}, "last_token_usage": {"input_tokens": tokens}}
        return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}

    early = {"type": "event_msg", "payload": {"type": "token_count", "info": None}}
    records = [early, message("user", "Go", 1), call("a", 2), count(2_000), output("a", 4), count(2_000)]
    (session,) = lines(META, CONTEXT, *records, message("assistant", "Finished"), count(2_500))
    assert session.requests == (1, 3)
    assert session.billed == (2_000, 2_500)
