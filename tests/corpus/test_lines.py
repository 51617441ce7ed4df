import json
import random
import tracemalloc
from array import array
from pathlib import Path

import pytest

from prunus.clients.sessions import load
from prunus.corpus.lines import in_order
from tests.corpus.samples import every, growing, jsonl, requests
from tests.lab.talk import anthropic, chat_messages, reads


def test_lines_of_many_sessions_are_put_together(tmp_path: Path) -> None:
    mixed = [row for group in zip(growing("a"), growing("b"), growing("c", 6), strict=False) for row in group]
    path = jsonl(tmp_path / "t.jsonl", [*mixed, *growing("c", 6)[4:]])
    assert sorted(requests(one) for one in every(path)) == [[5], [5], [7]]


def test_reading_the_file_as_a_whole_gives_the_same_sessions(tmp_path: Path) -> None:
    rows = [{"request": {"messages": row["messages"]}, "response": {}, "path": "/v1"} for row in growing("x")]
    for name, lines in (("named", growing("a") + growing("b", 7)), ("exchanges", rows)):
        path = jsonl(tmp_path / f"{name}.jsonl", lines)
        divided = [(s.messages, s.requests, s.times) for one in every(path) for s in one.sessions()]
        assert sorted(map(repr, divided)) == sorted(repr((s.messages, s.requests, s.times)) for s in load(path))


def test_requests_without_a_session_stand_alone(tmp_path: Path) -> None:
    rows = [{"model": "gpt-5.6", "messages": chat_messages(reads(n))} for n in (2, 3)]
    assert sorted(requests(one) for one in every(jsonl(tmp_path / "t.jsonl", rows))) == [[3], [4]]


def test_the_recording_of_an_agent_stays_whole(tmp_path: Path) -> None:
    message = {"role": "user", "content": "Hello"}
    rows = [{"type": "user", "uuid": "a", "sessionId": "s", "message": message}]
    [source] = every(jsonl(tmp_path / "t.jsonl", rows))
    assert source.data is None


def test_damaged_lines_are_counted(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "t.jsonl", growing("a"))
    path.write_text(path.read_text() + '{"session_id": "a", "messages": [{"role"\n')
    [source] = every(path)
    [session] = source.sessions()
    assert (len(session.requests), session.skipped) == (5, 1)


@pytest.mark.parametrize("kind", ["anthropic", "message rows"])
def test_rows_may_hold_single_messages_or_lists_of_messages(tmp_path: Path, kind: str) -> None:
    messages = chat_messages(reads(3))
    if kind == "message rows":
        rows = [{"conversation_id": 7, "index": n, **message} for n, message in enumerate(messages)]
    else:
        said = [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [{"type": "text", "text": "x"}]},
        ]
        rows = [
            {"thread_id": "t", "body": json.dumps({"model": "claude-sonnet-4-5", "system": "s", "messages": said})}
        ]
    [source] = every(jsonl(tmp_path / "t.jsonl", rows))
    [session] = source.sessions()
    assert (session.format, len(session.requests)) == (
        ("openai_chat", 3) if kind == "message rows" else ("anthropic_messages", 1)
    )
    assert session.envelope == ({} if kind == "message rows" else {"system": "s"})


@pytest.mark.parametrize("as_text", [False, True])
def test_rows_of_messages_may_hold_blocks(tmp_path: Path, as_text: bool) -> None:
    said = list(anthropic(reads(3)).messages[1:])
    rows = [{"session_id": "s", **message} for message in said]
    if as_text:
        rows = [{**row, "content": json.dumps(row["content"])} for row in rows]
    [source] = every(jsonl(tmp_path / "t.jsonl", rows))
    [session] = source.sessions()
    assert (session.format, list(session.messages)) == ("anthropic_messages", said)


def test_a_file_of_messages_that_begins_with_a_tool_result_stays_whole(tmp_path: Path) -> None:
    said = list(anthropic(reads(3)).messages[2:])
    [source] = every(jsonl(tmp_path / "t.jsonl", said))
    [session] = source.sessions()
    assert list(session.messages) == said


@pytest.mark.parametrize("answer", ['{"ok": true}', "[1, 2]", '[{"type": "text", "text": "one"}]'])
def test_text_of_a_message_stays_text_although_it_is_json(tmp_path: Path, answer: str) -> None:
    chat = [*chat_messages([("Read", {"path": "a"}, answer)]), {"role": "assistant", "content": '{"done": []}'}]
    items = [
        {"type": "message", "role": "user", "content": "Hello"},
        {"type": "function_call", "call_id": "c", "name": "Read", "arguments": '{"path": "a"}'},
        {"type": "function_call_output", "call_id": "c", "output": answer},
        {"type": "message", "role": "assistant", "content": "Done"},
    ]
    for name, said in (("chat", chat), ("responses", items)):
        [source] = every(jsonl(tmp_path / f"{name}.jsonl", [{"session_id": "s", **message} for message in said]))
        [session] = source.sessions()
        assert list(session.messages) == said


def test_many_lines_are_put_in_order_in_little_memory() -> None:
    rng = random.Random(3)
    names = [rng.getrandbits(64) for _ in range(5_000)] + [0, (1 << 64) - 1]
    keys = array("Q", (rng.choice(names) for _ in range(100_000)))
    tracemalloc.start()
    try:
        order = array("Q", in_order(keys))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert list(order) == sorted(range(len(keys)), key=keys.__getitem__)
    # The order that is made here takes 9 bytes, and a table of a fixed size 10.
    assert most / len(keys) < 40


def test_no_lines_have_no_order() -> None:
    assert list(in_order([])) == []
