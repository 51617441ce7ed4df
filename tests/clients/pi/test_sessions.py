from typing import Any


def entry(id: str, parent: str | None, **message: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "id": id,
        "parentId": parent,
        "timestamp": "2026-01-01T00:00:00Z",
        "message": message,
    }


def call(id: str) -> dict[str, Any]:
    return {"type": "toolCall", "id": id, "name": "read", "arguments": {"path": "a"}}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def answer(id: str, parent: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return entry(id, parent, role="assistant", model="m", content=list(blocks), **more)


def result(id: str, parent: str, call_id: str, text: str) -> dict[str, Any]:
    return entry(id, parent, role="toolResult", toolCallId=call_id, content=[said(text)], isError=False)


SESSION = {"type": "session", "version": 3, "id": "s", "cwd": "/home/user"}


def test_calls_and_results_become_anthropic_blocks_with_ids_it_accepts(lines):
    thinking = {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"}
    (session,) = lines(
        SESSION,
        entry("1", None, role="user", content="Go"),
        {"type": "custom_message", "id": "2", "parentId": "1", "content": [said("a note")]},
        answer("3", "2", thinking, call("functions.read:0"), call("functions.read:1")),
        result("4", "3", "functions.read:1", "B"),
        result("5", "4", "functions.read:0", "A"),
        answer("6", "5", said("Done")),
    )
    user, asked, results, done = session.messages
    assert user["content"] == [said("Go"), said("a note")]
    assert asked["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "sig"}
    assert [block["id"] for block in asked["content"][1:]] == ["functions_read_0", "functions_read_1"]
    assert results["content"] == [
        {"type": "tool_result", "tool_use_id": f"functions_read_{n}", "content": [said(t)], "is_error": False}
        for n, t in enumerate("AB")
    ]
    assert done["content"] == [said("Done")]
    assert session.requests == (1, 3)
    assert (session.agent, session.format, session.model) == ("pi", "anthropic_messages", "m")


def test_only_the_path_to_the_last_entry_is_the_conversation(lines):
    (session,) = lines(
        SESSION,
        entry("1", None, role="user", content="Go"),
        answer("2", "1", said("North")),
        answer("3", "1", said("South")),
    )
    assert [m["content"] for m in session.messages] == [[said("Go")], [said("South")]]


def test_aborted_answers_are_not_sent_again(lines):
    (session,) = lines(
        SESSION,
        entry("1", None, role="user", content="Go"),
        answer("2", "1", said("Half an ans"), stopReason="aborted"),
        entry("3", "2", role="bashExecution", command="ls", output="a.py"),
        answer("4", "3", said("Done"), stopReason="stop"),
    )
    assert session.messages[0]["content"] == [said("Go"), said("$ ls\na.py")]
    assert len(session.messages) == 2


def test_compaction_starts_a_session_of_summary_and_spared_entries(lines):
    first, second = lines(
        SESSION,
        entry("1", None, role="user", content="Go"),
        answer("2", "1", said("Going")),
        entry("3", "2", role="user", content="Faster"),
        answer("4", "3", said("Running")),
        {"type": "compaction", "id": "5", "parentId": "4", "summary": "went", "firstKeptEntryId": "3"},
        entry("6", "5", role="user", content="Stop"),
        answer("7", "6", said("Stopped")),
    )
    assert len(first.messages) == 4
    assert second.messages[0]["content"] == [said("<summary>\nwent\n</summary>"), said("Faster")]
    assert [m["role"] for m in second.messages] == ["user", "assistant", "user", "assistant"]
    assert second.requests == (3,)


def test_old_files_without_ids_are_read_in_file_order(lines):
    user = {"type": "message", "message": {"role": "user", "content": "Go"}}
    reply = {"type": "message", "message": {"role": "assistant", "content": [said("Gone")]}}
    more = {"type": "message", "message": {"role": "user", "content": "Back"}}
    compaction = {"type": "compaction", "summary": "went", "firstKeptEntryIndex": 3}
    old = {"type": "session", "cwd": "/home/user"}
    _, second = lines(old, user, reply, more, compaction, reply)
    assert second.messages[0]["content"] == [said("<summary>\nwent\n</summary>"), said("Back")]


def test_the_provider_s_count_of_each_request_is_read(lines):
    usage = {"input": 100, "cacheRead": 2_000, "cacheWrite": 30, "output": 9}
    (session,) = lines(
        SESSION, entry("1", None, role="user", content="Go"), answer("2", "1", said("Done"), usage=usage)
    )
    assert session.billed == (2_130,)
