"""Requests, and the messages of one, saved as they are sent: every format shows the same session."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prunus.cli import files
from prunus.clients.sessions import load
from prunus.errors import FormatError
from prunus.files.at import FileHistory
from prunus.lab.measuring import measure
from prunus.providers import ALL, encode, frame, provider_named
from tests.clients.conftest import Loaded

Json = dict[str, Any]
Writer = Callable[[], tuple[list[Json], Json]]

PATH = "/w/app.py"
READ = {"file_path": PATH}
EDIT = {"file_path": PATH, "old_string": "two", "new_string": "zwei"}
SHOWN = "     1\tone\n     2\ttwo\n"
EDITED = f"The file {PATH} has been updated."
SCHEMA = {"type": "object", "properties": {"file_path": {"type": "string"}}}


def anthropic() -> tuple[list[Json], Json]:
    def use(id: str, name: str, given: Json) -> Json:
        return {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": given}]}

    def answer(id: str, text: str) -> Json:
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}

    said = {"role": "user", "content": [{"type": "text", "text": "Go", "cache_control": {"type": "ephemeral"}}]}
    messages = [said, use("t1", "Read", READ), answer("t1", SHOWN), use("t2", "Edit", EDIT), answer("t2", EDITED)]
    return messages, {"system": "Be brief", "tools": [{"name": "Read", "input_schema": SCHEMA}]}


def chat() -> tuple[list[Json], Json]:
    def use(id: str, name: str, given: str) -> Json:
        call = {"id": id, "type": "function", "function": {"name": name, "arguments": given}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def answer(id: str, text: str) -> Json:
        return {"role": "tool", "tool_call_id": id, "content": text}

    messages = [
        {"role": "user", "content": "Go"},
        use("t1", "Read", text_of(READ)),
        answer("t1", SHOWN),
        use("t2", "Edit", text_of(EDIT)),
        answer("t2", EDITED),
    ]
    return messages, {"tools": [{"type": "function", "function": {"name": "Read", "parameters": SCHEMA}}]}


def responses() -> tuple[list[Json], Json]:
    def use(id: str, name: str, given: Json) -> Json:
        return {"type": "function_call", "call_id": id, "name": name, "arguments": text_of(given)}

    def answer(id: str, text: str) -> Json:
        return {"type": "function_call_output", "call_id": id, "output": text}

    messages = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]},
        use("t1", "Read", READ),
        answer("t1", SHOWN),
        use("t2", "Edit", EDIT),
        answer("t2", EDITED),
    ]
    return messages, {"instructions": "Be brief", "tools": [{"type": "function", "name": "Read"}]}


def gemini() -> tuple[list[Json], Json]:
    def use(name: str, given: Json) -> Json:
        return {"role": "model", "parts": [{"functionCall": {"name": name, "args": given}}]}

    def answer(name: str, text: str) -> Json:
        return {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"output": text}}}]}

    messages = [
        {"role": "user", "parts": [{"text": "Go"}]},
        use("Read", READ),
        answer("Read", SHOWN),
        use("Edit", EDIT),
        answer("Edit", EDITED),
    ]
    return messages, {"systemInstruction": {"parts": [{"text": "Be brief"}]}, "tools": [{"googleSearch": {}}]}


def text_of(value: Json) -> str:
    return "{" + ", ".join(f'"{key}": "{inner}"' for key, inner in value.items()) + "}"


WRITERS: dict[str, Writer] = {
    "anthropic_messages": anthropic,
    "openai_chat": chat,
    "openai_responses": responses,
    "gemini": gemini,
}


def body_in(format: str) -> Json:
    messages, around = WRITERS[format]()
    named = {} if format == "gemini" else {"model": "m"}
    return named | around | {provider_named(format).field: messages}


def test_every_wire_format_is_tried_here() -> None:
    assert {*WRITERS, "opencode"} == {format.name for format in ALL}


@pytest.mark.parametrize("format", list(WRITERS))
def test_a_request_a_list_and_lines_of_messages_load_alike(format: str, document: Loaded, lines: Loaded) -> None:
    messages, _ = WRITERS[format]()
    for (session,) in (document(body_in(format)), document(messages), lines(*messages)):
        assert session.format == format
        assert session.agent == format.replace("_", "-")
        assert list(session.messages) == messages
        assert session.requests[:2] == (1, 3)
        assert len(session.times) == len(session.requests)


@pytest.mark.parametrize("format", list(WRITERS))
def test_a_request_was_sent_to_its_end_and_a_list_perhaps_not(format: str, document: Loaded) -> None:
    messages, _ = WRITERS[format]()
    assert document(body_in(format))[0].requests == (1, 3, 5)
    assert document(messages)[0].requests == (1, 3)


@pytest.mark.parametrize("format", list(WRITERS))
def test_the_last_request_is_the_file_itself(format: str, document: Loaded) -> None:
    body = body_in(format)
    (session,) = document(body)
    sent = session.body()
    assert {key: sent[key] for key in body} == body
    assert frame(encode(sent)).format.name == format


@pytest.mark.parametrize("format", list(WRITERS))
def test_messages_behind_the_last_request_are_its_answer(format: str, document: Loaded) -> None:
    body = body_in(format)
    field = provider_named(format).field
    call = body[field][1]
    (session,) = document({**body, field: [*body[field], call]})
    assert session.requests == (1, 3, 5)


@pytest.mark.parametrize("format", list(WRITERS))
def test_a_first_request_without_an_answer_is_one_request(format: str, document: Loaded) -> None:
    body = body_in(format)
    field = provider_named(format).field
    (session,) = document({**body, field: body[field][:1]})
    assert (session.format, session.requests) == (format, (1,))


@pytest.mark.parametrize("format", list(WRITERS))
def test_the_files_of_a_request_are_known(format: str, document: Loaded) -> None:
    (session,) = document(body_in(format))
    read = provider_named(format).parse
    state = FileHistory(tuple(read(message, b"") for message in session.messages)).file_state_at(PATH)
    assert state.text == "one\nzwei\n"


@pytest.mark.parametrize("format", list(WRITERS))
def test_commands_take_a_request(format: str, document: Loaded, tmp_path: Path) -> None:
    document(body_in(format))
    path = tmp_path / "talk.json"
    listed = CliRunner().invoke(files.command, [str(path)])
    assert "1 file after 2 turns, 1 known as a whole" in listed.stdout
    shown = CliRunner().invoke(files.file_at_command, [str(path), PATH])
    assert shown.stdout == "one\nzwei\n"
    (row,) = measure(path).rows
    assert row.requests == 3
    assert row.invalid == 0


def test_items_of_one_step_are_one_answer(document: Loaded) -> None:
    thought = {"type": "reasoning", "summary": [], "encrypted_content": "x"}
    said, use, answer, *_ = responses()[0]
    spoken = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "So"}]}
    (session,) = document({"input": [said, thought, spoken, use, answer, thought, spoken]})
    assert session.requests == (1, 5)


def test_a_history_that_the_provider_holds_stays_with_it(document: Loaded) -> None:
    (session,) = document(body_in("openai_responses") | {"previous_response_id": "r1"})
    assert session.body()["previous_response_id"] == "r1"


def test_fields_that_a_collector_added_to_a_request_are_not_sent(document: Loaded) -> None:
    (session,) = document(body_in("anthropic_messages") | {"score": 1, "notes": "long"})
    assert {"score", "notes"}.isdisjoint(session.body())


def test_lines_of_requests_in_several_formats_are_a_session_each(lines: Loaded) -> None:
    found = lines(*(body_in(format) for format in WRITERS), '{"cut')
    assert [session.format for session in found] == list(WRITERS)
    assert [session.skipped for session in found] == [1, 0, 0, 0]


def test_lines_that_hold_no_message_are_passed_over(lines: Loaded) -> None:
    (session,) = lines({"type": "started", "at": 1}, *chat()[0], {"score": 1})
    assert (session.format, session.requests) == ("openai_chat", (1, 3))
    assert list(session.messages) == chat()[0]


@pytest.mark.parametrize(
    "value",
    [
        {"contents": ["a", "b"]},
        {"input": [{"x": 1}]},
        {"input": "only words"},
        {"messages": []},
        {"messages": [{"a": 1}]},
        [{"type": "event"}, {"type": "other"}],
    ],
)
def test_an_object_with_only_the_key_of_a_request_is_refused(value: Any, document: Loaded) -> None:
    with pytest.raises(FormatError, match=r"talk\.json: neither a request nor"):
        document(value)


def test_a_request_whose_input_is_one_string_has_one_message(document: Loaded) -> None:
    (session,) = document({"model": "gpt-5", "input": "Say hello", "tools": []})
    assert (session.format, session.requests, session.skipped) == ("openai_responses", (1,), 0)
    assert session.messages == ({"role": "user", "content": "Say hello"},)


def test_opencode_messages_load_as_a_list_and_in_lines(document: Loaded, lines: Loaded) -> None:
    state = {"status": "completed", "input": READ, "output": SHOWN}
    messages = [
        {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Go"}]},
        {
            "info": {"role": "assistant", "modelID": "m"},
            "parts": [{"type": "tool", "tool": "read", "callID": "c", "state": state}],
        },
    ]
    for (session,) in (document(messages), lines(*messages), document({"messages": messages})):
        assert (session.agent, session.format, session.model) == ("opencode", "opencode", "m")
        assert list(session.messages) == messages
        assert session.requests == (1,)


def test_gzipped_requests_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "r.json.gz"
    path.write_bytes(gzip.compress(encode(body_in("gemini"))))
    assert load(path)[0].requests == (1, 3, 5)
