"""Which running command a call refers to."""

from __future__ import annotations

from typing import Any

import pytest

from prunus.calls.results import process_of


@pytest.mark.parametrize(
    ("given", "text", "id"),
    [
        # Codex: the id is told with the first output, and given with every look at the rest.
        (
            {"cmd": "make"},
            "Chunk ID: a1\nWall time: 1.0 seconds\nProcess running with session ID 77\nOutput:\n",
            "77",
        ),
        ({"session_id": 77, "chars": ""}, "Chunk ID: a2\nProcess exited with code 0\nOutput:\ndone", "77"),
        # Claude Code, by itself, by the person at the keyboard, and asked for.
        ({"command": "make"}, "Command running in background with ID: b7. Output is being written to: /x", "b7"),
        ({"command": "make"}, "Command was manually backgrounded by user with ID: bash_2", "bash_2"),
        ({"bash_id": "b7"}, "<status>running</status>", "b7"),
        ({"shell_id": "b7"}, "Successfully killed shell: b7", "b7"),
        ({"task_id": "b7", "block": True}, "<retrieval_status>success</retrieval_status>", "b7"),
        # Copilot CLI.
        ({"shellId": "s1", "delay": 5}, "still at it", "s1"),
    ],
)
def test_a_process_id_comes_from_the_arguments_or_the_output(given: Any, text: str, id: str) -> None:
    assert process_of(given, text) == id


def test_a_process_id_in_the_arguments_overrides_the_one_in_the_output() -> None:
    assert process_of({"session_id": 7}, "Process running with session ID 8") == "7"


def test_zero_is_a_valid_process_id() -> None:
    assert process_of({"session_id": 0, "chars": ""}, "") == "0"


def test_an_empty_process_id_is_no_id() -> None:
    assert process_of({"session_id": None}, "Process running with session ID 8") == "8"


@pytest.mark.parametrize("given", [None, "make", [], {}, {"command": "make"}])
def test_without_an_id_there_is_no_process(given: Any) -> None:
    assert process_of(given, "Process exited with code 0\nOutput:\ndone") == ""


def test_words_far_down_in_the_output_tell_no_id() -> None:
    words = "Process running with session ID 8"
    assert process_of(None, "x" * 500 + words) == "8"
    assert process_of(None, "x" * 600 + words) == ""


def test_the_case_of_the_words_does_not_matter() -> None:
    assert process_of(None, "PROCESS RUNNING WITH SESSION ID 8") == "8"
