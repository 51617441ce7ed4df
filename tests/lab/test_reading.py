from typing import Any

from prunus.history import Call, Result
from prunus.lab.replay import Reader, shown_text, strings
from prunus.providers import provider_named


def reader(format: str = "anthropic_messages") -> Reader:
    return Reader(provider_named(format))


def test_a_moved_cache_marker_does_not_change_a_part() -> None:
    read = reader()
    marked: dict[str, Any] = {"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}
    assert (
        read.sheet({"role": "user", "content": "Hello"}).numbers
        == read.sheet({"role": "user", "content": [marked]}).numbers
    )


def test_a_different_text_is_a_different_part() -> None:
    read = reader()
    assert (
        read.sheet({"role": "user", "content": "Hello"}).numbers
        != read.sheet({"role": "user", "content": "Hello!"}).numbers
    )


def test_reading_a_message_twice_returns_the_same_sheet() -> None:
    read, message = reader(), {"role": "user", "content": "Hello"}
    assert read.sheet(message) is read.sheet(message)


def test_step_markers_cost_nothing() -> None:
    sheet = reader("opencode").sheet({"info": {"role": "assistant"}, "parts": [{"type": "step-start"}]})
    assert (sheet.tokens, sheet.forms) == (0, ())


def test_a_sheet_names_its_calls_and_results() -> None:
    call = {"type": "tool_use", "id": "a", "name": "Read", "input": {}}
    assert reader().sheet({"role": "assistant", "content": [call]}).pairs == (("Call", "a"),)


def test_arguments_are_shown_as_lines_not_as_json() -> None:
    assert shown_text(Call("a", "Write", {"path": "x", "content": "one\ntwo"})) == "x\none\ntwo"


def test_a_result_that_is_json_is_shown_as_lines() -> None:
    assert shown_text(Result("a", '{"returncode": 0, "output": "one\\ntwo"}')) == "one\ntwo"


def test_a_result_that_only_looks_like_json_is_shown_as_it_is() -> None:
    assert shown_text(Result("a", "{not json}")) == "{not json}"


def test_strings_come_in_order() -> None:
    assert strings({"a": ["x", {"b": "y"}], "c": 3, "d": "z"}) == ["x", "y", "z"]
