import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prunus.cli import main
from tests.cli.test_files import READ_AND_EDITED, chat

Run = Callable[..., Result]


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    path = tmp_path / "talk.json"
    steps = (
        *READ_AND_EDITED,
        ("Read", {"file_path": "/w/lib/b.py", "offset": 3, "limit": 1}, "3\tth\x1b[31mree"),
        ("Read", {"file_path": "/w/src/b.py"}, "1\tx\n2\t"),
        ("Bash", {"command": "python change.py"}, "changed"),
    )
    path.write_text(json.dumps(chat(*steps)))
    return str(path)


@pytest.fixture
def run() -> Run:
    return lambda *args: CliRunner().invoke(main, ("file-at", *args), catch_exceptions=False)


def test_the_content_after_a_turn_is_shown(run: Run, recorded: str) -> None:
    assert run(recorded, "/w/src/a.py", "--turn", "1").stdout == "one\ntwo\n"
    assert run(recorded, "/w/src/a.py", "--turn", "2").stdout == "one\n2\n"


def test_the_end_of_a_path_is_enough(run: Run, recorded: str) -> None:
    assert run(recorded, "a.py", "--turn", "4").stdout == "one\n2\n"


def test_unknown_stretches_are_marked_and_escapes_are_not_obeyed(run: Run, recorded: str) -> None:
    lines = run(recorded, "lib/b.py", "--turn", "3").stdout.splitlines()
    assert lines[0] == "[lines 1-2 not known]"
    assert lines[1].startswith("th") and "\x1b" not in lines[1]
    assert lines[2] == "[what follows line 3 not known]"


def test_a_difference_between_turns_is_shown(run: Run, recorded: str) -> None:
    lines = run(recorded, "a.py", "--turn", "2", "--diff", "1").stdout.splitlines()
    assert "-two" in lines and "+2" in lines
    assert "nothing known to have changed" in run(recorded, "a.py", "--turn", "3", "--diff", "2").stdout


def test_a_file_without_certain_lines_names_the_last_turn_that_has_some(run: Run, recorded: str) -> None:
    result = run(recorded, "a.py")
    assert result.exit_code == 2
    assert "nothing is certain after turn 6; lines of it are known after turn 4 (--turn 4)" in result.stderr


def test_an_ambiguous_path_lists_the_files(run: Run, recorded: str) -> None:
    result = run(recorded, "b.py")
    assert result.exit_code == 2
    assert "several files end so" in result.stderr
    assert "/w/lib/b.py" in result.stderr and "/w/src/b.py" in result.stderr


def test_an_unknown_file_gets_suggestions(run: Run, recorded: str) -> None:
    result = run(recorded, "aa.py")
    assert result.exit_code == 2
    assert "did you mean" in result.stderr and "/w/src/a.py" in result.stderr
    assert "3 files are" in run(recorded, "zzzzzz.txt").stderr


@pytest.mark.parametrize("turn", ["0", "7", "-1"])
def test_a_turn_out_of_range_is_named(run: Run, recorded: str, turn: str) -> None:
    for option in ("--turn", "--diff"):
        result = run(recorded, "a.py", option, turn)
        assert result.exit_code == 2
        assert f"no turn {turn}: this history has 6 turns" in result.stderr


def test_a_deleted_file_says_so(run: Run, tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
    gone = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"
    done = "Success. Updated the following files:\nA a.py\n"
    path = tmp_path / "talk.json"
    path.write_text(
        json.dumps(chat(("apply_patch", {"input": patch}, done), ("apply_patch", {"input": gone}, done)))
    )
    assert run(str(path), "a.py").stdout == "[a.py: deleted]\n"
    assert run(str(path), "a.py", "--turn", "1").stdout == "x\n"


def test_every_edit_is_shown_as_its_call_says_it(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    steps = (
        (
            "Edit",
            {"file_path": "/w/a.py", "old_string": "two", "new_string": "2\n3", "intent": "Use  digits"},
            "updated.",
        ),
        ("Edit", {"file_path": "/w/a.py", "old_string": "no", "new_string": "yes"}, "Error: String not found"),
        ("Write", {"file_path": "/w/a.py", "content": "one\x1b[31m"}, "File created successfully at: /w/a.py"),
    )
    path.write_text(json.dumps(chat(*steps)))
    first = ["@@ turn 1, edit: Use digits @@", "-two", "+2", "+3"]
    lines = run(str(path), "a.py", "--full-diff").stdout.splitlines()
    assert lines[:-1] == [*first, "@@ turn 3, write @@"]
    assert lines[-1].startswith("+one") and "\x1b" not in lines[-1]
    assert run(str(path), "a.py", "--turn", "2", "--full-diff").stdout.splitlines() == first


def test_a_file_without_edits_says_so(run: Run, recorded: str) -> None:
    assert run(recorded, "lib/b.py", "--full-diff").stdout == "lib/b.py: not edited in this session\n"


def test_two_kinds_of_diff_are_too_many(run: Run, recorded: str) -> None:
    result = run(recorded, "/w/src/b.py", "--diff", "1", "--full-diff")
    assert result.exit_code == 2 and "not both" in result.stderr
