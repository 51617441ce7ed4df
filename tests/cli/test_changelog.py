import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prunus.cli import main
from tests.lab.talk import chat_messages


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ("changelog", *args), catch_exceptions=False)


def change(old: str, new: str, intent: str) -> tuple[str, dict[str, str], str]:
    return "Edit", {"file_path": "a.py", "old_string": old, "new_string": new, "intent": intent}, "Edit applied"


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(chat_messages([change("a", "b", "First"), change("c", "d\ne", "Second")])))
    return str(path)


def test_a_recorded_session_is_shown_as_markdown(recorded: str) -> None:
    result = run(recorded)
    assert result.exit_code == 0
    assert result.stdout == (
        "- a.py (+3 -2)\n"
        "  - First (+1 -1, turn 1)\n"
        "  - Second (+2 -1, turn 2)\n"
    )  # fmt: skip


def test_json_holds_the_same_figures(recorded: str) -> None:
    found = json.loads(run(recorded, "--format", "json").stdout)
    assert [line["purpose"] for line in found["files"][0]["changes"]] == ["First", "Second"]


def test_since_leaves_out_earlier_turns(recorded: str) -> None:
    assert run(recorded, "--since", "2").stdout == "- a.py: Second (+2 -1, turn 2)\n"


def test_the_changelog_of_a_request_is_shown(tmp_path: Path, file: str) -> None:
    result = run(file)
    assert result.exit_code == 0
    assert result.stdout.startswith("- /srv/app/greet.py: Rewritten (+60 -0 and more, turn 2)")


@pytest.mark.parametrize("text", ["", "no session", '{"nothing": 1}'])
def test_changelog_of_a_file_without_a_session_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    result = run(str(path))
    assert result.exit_code == 2
    assert "odd.json" in result.stderr


def test_changelog_of_a_missing_file_is_an_error(tmp_path: Path) -> None:
    result = run(str(tmp_path / "none.json"))
    assert result.exit_code == 2
    assert "no such file" in result.stderr


def test_turns_are_counted_from_one(recorded: str) -> None:
    assert run(recorded, "--since", "0").exit_code == 2


def test_an_empty_rest_of_a_session_is_not_called_a_session_without_changes(recorded: str) -> None:
    assert run(recorded, "--since", "99").stdout == "No file was changed from turn 99 on.\n"
