from typing import Any

from prunus import history_of


def line(uuid: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": content}
    if role == "assistant":
        message |= {"id": more.pop("id", f"msg_{uuid}"), "model": more.pop("model", "claude-test"), "usage": {}}
    return {
        "type": role,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s",
        "isSidechain": False,
        "message": message,
    } | more


def use(id: str, name: str = "Read") -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": {"file_path": id}, "caller": {"type": "direct"}}


def sent(id: str, name: str = "Read") -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": {"file_path": id}}


def result(id: str, content: Any = "text") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_blocks_of_one_answer_are_one_message_with_its_results_in_call_order(lines):
    thinking = {"type": "thinking", "thinking": "", "signature": "sig"}
    (session,) = lines(
        line("u1", None, "user", "Compare a and b", timestamp="2026-01-01T00:00:00Z"),
        line("a1", "u1", "assistant", [thinking], id="m1", timestamp="2026-01-01T00:00:03Z"),
        line("a2", "a1", "assistant", [use("t1")], id="m1"),
        line("a3", "a2", "assistant", [use("t2")], id="m1"),
        line("u3", "a3", "user", [result("t2", "B")], toolUseResult={"file": "B"}),
        line("u2", "a2", "user", [result("t1", "A")], timestamp="2026-01-01T00:00:05Z"),
        line("a4", "u2", "assistant", [said("They differ")], id="m2"),
    )
    assert session.messages == (
        {"role": "user", "content": "Compare a and b"},
        {"role": "assistant", "content": [thinking, sent("t1"), sent("t2")]},
        {"role": "user", "content": [result("t1", "A"), result("t2", "B")]},
        {"role": "assistant", "content": [said("They differ")]},
    )
    assert session.requests == (1, 3)
    assert session.times == (1767225600.0, 1767225605.0)
    assert (session.agent, session.format, session.model) == ("claude-code", "anthropic_messages", "claude-test")


def test_results_between_parallel_calls_do_not_split_the_answer(lines):
    (session,) = lines(
        line("u1", None, "user", "Go"),
        line("a1", "u1", "assistant", [use("t1")], id="m1"),
        line("u2", "a1", "user", [result("t1")]),
        line("a2", "a1", "assistant", [use("t2")], id="m1"),
        line("u3", "a2", "user", [result("t2")]),
        line("a3", "u3", "assistant", [said("Done")], id="m2"),
    )
    assert session.messages[1]["content"] == [sent("t1"), sent("t2")]
    assert session.messages[2]["content"] == [result("t1"), result("t2")]
    assert session.requests == (1, 3)


def test_neighbouring_user_lines_become_one_message_with_results_first(lines):
    (session,) = lines(
        line("u0", None, "user", "<note>", isMeta=True),
        line("u1", "u0", "user", "Go"),
        line("a1", "u1", "assistant", [use("t1")]),
        line("u2", "a1", "user", [said("Hurry"), result("t1")]),
        {"type": "attachment", "uuid": "x", "attachment": {"type": "queued_command", "prompt": "And then stop"}},
        line("a2", "u2", "assistant", [said("Done")]),
    )
    assert session.messages[0] == {"role": "user", "content": [said("<note>"), said("Go")]}
    assert session.messages[2]["content"] == [result("t1"), said("Hurry"), said("And then stop")]


def test_a_note_that_somebody_else_changed_a_file_is_shown_and_makes_it_unknown(lines):
    whole = [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/a.py"}}]
    note = {"type": "edited_text_file", "filename": "/w/a.py", "snippet": "2\tx = 9"}
    before = (
        line("u1", None, "user", "Look"),
        line("a1", "u1", "assistant", whole),
        line("u2", "a1", "user", [result("t1", "     1\ty = 1\n     2\tx = 2\n")]),
        line("a2", "u2", "assistant", [said("Seen")]),
        line("u3", "a2", "user", "Go on"),
    )
    after = line("a3", "x", "assistant", [said("Done")])
    (calm,) = lines(*before, after | {"parentUuid": "u3"})
    (told,) = lines(*before, {"type": "attachment", "uuid": "x", "parentUuid": "u3", "attachment": note}, after)
    words = told.messages[-2]["content"][-1]["text"]
    assert told.messages[-2]["content"][0] == said("Go on")
    assert words.startswith("<system-reminder>\nNote: /w/a.py was modified, either by the user or by a linter.")
    assert "2\tx = 9" in words
    assert history_of(calm).file_state_at("/w/a.py").known == 2
    assert history_of(told).file_state_at("/w/a.py").known == 0


def test_attachments_that_say_nothing_are_left_out(lines):
    (session,) = lines(
        line("u1", None, "user", "Go"),
        {"type": "attachment", "uuid": "x", "parentUuid": "u1", "attachment": {"type": "edited_text_file"}},
        {"type": "attachment", "uuid": "y", "parentUuid": "x", "attachment": {"type": "task_reminder"}},
        line("a1", "y", "assistant", [said("Done")]),
    )
    assert session.messages[0] == {"role": "user", "content": "Go"}


def test_half_a_surrogate_pair_does_not_cost_the_line(lines):
    (session,) = lines(line("u1", None, "user", "Go \ud83d"), line("a1", "u1", "assistant", [said("Done")]))
    assert session.messages[0] == {"role": "user", "content": "Go \ufffd"}


def test_empty_texts_are_left_out(lines):
    (session,) = lines(
        line("u1", None, "user", [said(""), said("Go")]),
        line("a1", "u1", "assistant", [said("\n\n"), use("t1")]),
        line("u2", "a1", "user", [result("t1", [said(""), said("A")])]),
        line("a2", "u2", "assistant", [said("Done")]),
    )
    assert session.messages[0]["content"] == [said("Go")]
    assert session.messages[1]["content"] == [sent("t1")]
    assert session.messages[2]["content"] == [result("t1", [said("A")])]


def test_repeated_lines_of_a_resumed_session_count_once(lines):
    first = line("u1", None, "user", "Go")
    answer = line("a1", "u1", "assistant", [said("Gone")])
    assert len(lines(first, answer, first, answer)[0].messages) == 2


def test_a_result_written_before_its_call_still_finds_it(lines):
    (session,) = lines(
        line("u1", None, "user", "Go"),
        line("u2", "a1", "user", [result("t1")]),
        line("a1", "u1", "assistant", [use("t1")]),
        line("a2", "u2", "assistant", [said("Done")]),
    )
    assert [message["role"] for message in session.messages] == ["user", "assistant", "user", "assistant"]


def test_a_rewound_prompt_and_its_answers_are_left_out(lines):
    (session,) = lines(
        line("u1", None, "user", "Go"),
        line("a1", "u1", "assistant", [said("Where?")]),
        line("u2", "a1", "user", "North"),
        line("a2", "u2", "assistant", [said("Cold")]),
        line("u3", "a1", "user", "South"),
        line("a3", "u3", "assistant", [said("Warm")]),
    )
    assert [m["content"] for m in session.messages] == ["Go", [said("Where?")], "South", [said("Warm")]]


def test_a_call_without_result_goes_from_the_middle(lines):
    (session,) = lines(
        line("u1", None, "user", "Go"),
        line("a1", "u1", "assistant", [said("Wait"), use("t1")]),
        line("u2", "a1", "user", "Stop that"),
        line("a2", "u2", "assistant", [{"type": "thinking", "thinking": "", "signature": "s"}, use("t2")]),
        line("u3", "a2", "user", "That too"),
        line("a3", "u3", "assistant", [said("Stopped")]),
    )
    assert [m["content"] for m in session.messages] == [
        "Go",
        [said("Wait")],
        [said("Stop that"), said("That too")],
        [said("Stopped")],
    ]


def test_an_unanswered_call_at_the_end_goes_with_its_message_but_was_a_request(lines):
    (session,) = lines(
        line("u1", None, "user", "Go"),
        line("a1", "u1", "assistant", [said("I start"), use("t1")]),
    )
    assert session.messages == ({"role": "user", "content": "Go"},)
    assert session.requests == (1,)


def test_a_result_without_call_is_left_out(lines):
    (session,) = lines(
        line("u0", None, "user", [result("lost")]),
        line("u1", "u0", "user", "Go"),
        line("a1", "u1", "assistant", [said("Gone")]),
    )
    assert session.messages[0] == {"role": "user", "content": "Go"}


def test_compaction_starts_a_new_session(lines):
    first, second = lines(
        line("u1", None, "user", "Go"),
        line("a1", "u1", "assistant", [said("Going")]),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "sessionId": "s"},
        line("u2", "c", "user", "Summary: we went", isCompactSummary=True),
        line("a2", "u2", "assistant", [said("Going on")]),
    )
    assert (first.name, second.name) == ("talk", "talk#2")
    assert second.messages[0] == {"role": "user", "content": "Summary: we went"}
    assert (len(first.messages), len(second.messages)) == (2, 2)


def test_each_sub_agent_is_a_session(lines):
    main, one, two = lines(
        line("u1", None, "user", "Ask two helpers"),
        line("s1", None, "user", "You are one", isSidechain=True),
        line("s2", None, "user", "You are two", isSidechain=True),
        line("s3", "s1", "assistant", [said("One here")], isSidechain=True),
        line("s4", "s2", "assistant", [said("Two here")], isSidechain=True),
        line("a1", "u1", "assistant", [said("Both answered")]),
    )
    assert [len(s.messages) for s in (main, one, two)] == [2, 2, 2]
    assert two.messages[1]["content"] == [said("Two here")]


def test_errors_that_the_client_wrote_are_not_answers(lines):
    (session,) = lines(
        line("u1", None, "user", "Go"),
        line("a1", "u1", "assistant", [said("API Error")], model="<synthetic>", isApiErrorMessage=True),
        line("a2", "a1", "assistant", [said("Gone")]),
    )
    assert [m["content"] for m in session.messages] == ["Go", [said("Gone")]]


def test_damaged_lines_are_counted(lines):
    (session,) = lines(
        line("u1", None, "user", "Go"),
        "not json",
        {"type": "user", "uuid": "u9", "sessionId": "s", "message": "lost"},
        line("a1", "u1", "assistant", [said("Gone")]),
        '{"type":"assistant","uuid":"a2","mess',
    )
    assert len(session.messages) == 2
    assert session.skipped == 3


def test_lines_that_are_their_own_ancestors_do_no_harm(lines):
    (session,) = lines(
        line("u1", None, "user", "Go"),
        line("x", "y", "user", "circle"),
        line("y", "x", "user", "circle"),
        line("a1", "u1", "assistant", [said("Gone")]),
    )
    assert len(session.messages) == 2


def test_the_provider_s_count_of_each_request_is_read(lines):
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 400,
        "cache_read_input_tokens": 2_000,
        "output_tokens": 9,
    }
    answer = line("a1", "u1", "assistant", [use("t1")], id="m1")
    answer["message"]["usage"] = usage
    (session,) = lines(
        line("u1", None, "user", "Go"),
        answer,
        line("u2", "a1", "user", [result("t1", "A")]),
        line("a2", "u2", "assistant", [said("Done")], id="m2"),
    )
    assert session.billed == (2_403, 0)
