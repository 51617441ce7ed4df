import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from prunus.cli import main

Run = Callable[..., Result]


READ_AND_EDITED = (
    ("Read", {"file_path": "/w/src/a.py"}, "1\tone\n2\ttwo\n3\t"),
    (
        "Edit",
        {"file_path": "/w/src/a.py", "old_string": "two", "new_string": "2"},
        "The file /w/src/a.py has been updated.",
    ),
)


def chat(*steps: tuple[str, dict[str, Any], str]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number, (tool, given, answer) in enumerate(steps):
        function = {"name": tool, "arguments": json.dumps(given)}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": answer})
    return [*messages, {"role": "assistant", "content": "done"}]


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    path = tmp_path / "talk.json"
    steps = (
        *READ_AND_EDITED,
        ("Read", {"file_path": "/w/b.py", "offset": 3, "limit": 1}, "3\tthree"),
    )
    path.write_text(json.dumps(chat(*steps)))
    return str(path)


@pytest.fixture
def run() -> Run:
    return lambda *args: CliRunner().invoke(main, ("files", *args), catch_exceptions=False)


def test_each_file_has_a_row(run: Run, recorded: str) -> None:
    result = run(recorded)
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["/w/src/a.py", "1", "1", "2", "2", "whole"] in rows
    assert ["/w/b.py", "1", "0", "1", "?", "part"] in rows
    assert "2 files after 4 turns, 1 known as a whole" in result.stdout


def test_json_has_the_same_figures(run: Run, recorded: str) -> None:
    first, second = json.loads(run(recorded, "--json").stdout)
    assert first == {
        "path": "/w/src/a.py", "reads": 1, "edits": 1, "known": 2, "lines": 2, "extent": "whole",
    }  # fmt: skip
    assert second["extent"] == "part"


def test_an_earlier_turn_knows_less(run: Run, recorded: str) -> None:
    assert "1 file after turn 1 of 4" in run(recorded, "--turn", "1").stdout


def test_a_turn_out_of_range_is_named(run: Run, recorded: str) -> None:
    result = run(recorded, "--turn", "9")
    assert result.exit_code == 2
    assert "no turn 9: this history has 4 turns" in result.stderr


def test_a_missing_session_is_an_error(run: Run, tmp_path: Path) -> None:
    result = run(str(tmp_path / "none.json"))
    assert result.exit_code == 2
    assert "no such file" in result.stderr


def test_a_file_that_is_no_session_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("not a session")
    assert run(str(tmp_path / "x.json")).exit_code == 2


def test_asking_for_a_missing_second_session_is_an_error(run: Run, recorded: str) -> None:
    result = run(recorded + "#2")
    assert result.exit_code == 2
    assert "holds 1 session" in result.stderr
