"""Results without per-call noise."""

from __future__ import annotations

import pytest

from prunus.calls.results import body_of, comparable

CODEX = "Chunk ID: {}\nWall time: {} seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\nhello\n"
REMINDER = "\n\n<system-reminder>\n<total_tokens>{} tokens left</total_tokens>\n</system-reminder>"


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("exec_command", CODEX.format("7a", "0.0000"), CODEX.format("9e", "0.2000")),
        (
            "shell_command",
            "Exit code: 0\nWall time: 1.2 seconds\nOutput:\nx",
            "Exit code: 0\nWall time: 3 seconds\nOutput:\nx",
        ),
        (
            "exec",
            "Script completed\nWall time 0.5 seconds\nOutput:\n\nx",
            "Script completed\nWall time 0.2 seconds\nOutput:\n\nx",
        ),
        ("Bash", "x" + REMINDER.format(5), "x" + REMINDER.format(7)),
        ("Read", "1\tx" + REMINDER.format(5), "1\tx" + REMINDER.format(7)),
        (
            "run_shell_command",
            "<untrusted_context>\nOutput: x\nProcess Group PGID: 11\n</untrusted_context>",
            "<untrusted_context>\nOutput: x\nProcess Group PGID: 12\n</untrusted_context>",
        ),
        (
            "apply_patch",
            '{"output":"Success","metadata":{"exit_code":0,"duration_seconds":0.1}}',
            '{"output":"Success","metadata":{"exit_code":0,"duration_seconds":0.3}}',
        ),
    ],
)
def test_two_runs_with_the_same_output_compare_equal(name: str, one: str, other: str) -> None:
    assert one != other
    assert comparable(name, one) == comparable(name, other)


def test_a_different_exit_code_still_counts() -> None:
    good = CODEX.format("7a", "0.1")
    assert comparable("exec_command", good) != comparable("exec_command", good.replace("code 0", "code 1"))


def test_a_file_that_looks_like_codex_output_is_left_alone() -> None:
    text = CODEX.format("7a", "0.1")
    assert comparable("Read", text) == text


@pytest.mark.parametrize(
    ("name", "text", "body"),
    [
        ("exec_command", CODEX.format("7a", "0.1"), "hello\n"),
        ("bash", '{\n  "returncode": 0,\n  "output": "hello\\n"\n}', "hello\n"),
        ("bash", "<returncode>0</returncode>\n<output>\nhello\n</output>", "hello"),
        ("run_shell_command", "<untrusted_context>\nOutput: hello\nExit Code: 3\n</untrusted_context>", "hello"),
        ("Bash", "hello" + REMINDER.format(5), "hello"),
        ("bash", "hello", "hello"),
        ("bash", '{"returncode": broken', '{"returncode": broken'),
    ],
)
def test_the_body_of_a_result_is_the_printed_output(name: str, text: str, body: str) -> None:
    assert body_of(name, text) == body
