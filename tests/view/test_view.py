"""The meaning of a call that polls a running command, and the outcome of a command whose output was cut."""

from __future__ import annotations

from typing import Any

import pytest

from prunus.calls.toolbox import Toolbox
from prunus.outlines.outline import outline
from prunus.tokens import Counter
from prunus.view.uses import Use
from prunus.view.view import View
from tests.files.talk import Step, messages

READING, BUILDING = "sed -n '1,90p' src/app.py", "make check"


def uses(*steps: Step) -> list[Use]:
    view = View(Toolbox(), Counter())
    found = [event for message in messages(*steps) for event in view.extend(message)]
    return [event for event in found if isinstance(event, Use)]


def started(command: str, id: int | str = 77) -> Step:
    head = f"Chunk ID: a1\nWall time: 1.0 seconds\nProcess running with session ID {id}\nOutput:\n"
    return "exec_command", {"cmd": command}, head, None


def rest(id: int | str = 77, chars: str = "", state: str = "Process exited with code 0") -> Step:
    text = f"Chunk ID: a2\nWall time: 0.1 seconds\n{state}\nOutput:\nimport os\n"
    return "write_stdin", {"session_id": id, "chars": chars}, text, None


def test_later_output_of_a_reading_command_is_a_read_of_unknown_lines() -> None:
    first, later = uses(started(READING), rest())
    assert (first.meaning.kind, later.meaning.kind) == ("read", "read")
    assert [touch.path for touch in first.touches] == ["src/app.py"]
    assert later.touches == ()


def test_every_piece_is_a_read_until_the_end() -> None:
    pieces = [
        rest(state="Process running with session ID 77"),
        rest(state="Process running with session ID 77"),
        rest(),
    ]
    assert [use.meaning.kind for use in uses(started(READING), *pieces)] == ["read"] * 4


def test_later_output_of_another_command_is_no_read() -> None:
    assert [use.meaning.kind for use in uses(started(BUILDING), rest())] == ["shell", "shell"]


def test_two_running_commands_are_kept_apart() -> None:
    steps = (started(READING, 1), started(BUILDING, 2), rest(2), rest(1), rest(3))
    assert [use.meaning.kind for use in uses(*steps)] == ["read", "shell", "shell", "read", "shell"]


def test_a_reading_command_that_has_ended_names_no_process() -> None:
    ended = "exec_command", {"cmd": READING}, "Process exited with code 0\nOutput:\nimport os\n", None
    assert [use.meaning.kind for use in uses(ended, rest())] == ["read", "shell"]


@pytest.mark.parametrize("given", [{}, {"chars": ""}])
def test_polling_without_a_process_id_is_no_read(given: dict[str, Any]) -> None:
    look = "write_stdin", given, "Output:\nimport os\n", None
    assert uses(started(READING), look)[1].meaning.kind == "shell"


def test_claude_code_reads_in_the_background() -> None:
    told = "Command running in background with ID: b7. Output is being written to: /tmp/b7"
    first = "Bash", {"command": "cat src/app.py", "run_in_background": True}, told
    look = "BashOutput", {"bash_id": "b7"}, "<status>completed</status>\n<stdout>\nimport os\n</stdout>"
    assert [use.meaning.kind for use in uses(first, look)] == ["read", "read"]


@pytest.mark.parametrize(
    "end",
    [
        "Error: (none)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: 41",
        "Command exited with code 2",
        "[The command completed with exit code 2.]",
        "<exited with exit code 2>",
    ],
)
def test_a_command_that_failed_has_failed_also_where_its_output_was_cut(end: str) -> None:
    log = "".join(f"step {n} of the build was done\n" for n in range(200)) + end
    short = outline(log, 0.15)
    assert len(short) < len(log) / 2
    assert [use.outcome for use in uses(*(("bash", {"command": "make"}, text, None) for text in (log, short)))] == [
        "error",
        "error",
    ]
