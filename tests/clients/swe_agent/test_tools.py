"""SWE-agent's functions and text commands."""

from __future__ import annotations

import pytest

from prunus.calls.meaning import Kind
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Touch

BOX = Toolbox()


@pytest.mark.parametrize(
    ("command", "kind", "key"),
    [
        ("open src/a.py 293\n", "read", "src/a.py"),
        ('open "src/a.py"', "read", "src/a.py"),
        ("scroll_down", "read", ""),
        ("goto 40", "read", ""),
        ("edit 1:3\nx = 1\nend_of_edit", "edit", ""),
        ("create a.py", "write", "a.py"),
        ('find_file "a.py" src', "list", 'glob:"a.py" src'),
        ("search_dir  x src", "search", "grep:x src"),
        ("python a.py", "shell", "python a.py"),
        ("open a.py && ls", "shell", "open a.py && ls"),
    ],
)
def test_a_text_command_has_a_kind_and_a_key(command: str, kind: Kind, key: str) -> None:
    meaning = BOX.meaning("action", {"command": command})
    assert (meaning.kind, meaning.key) == (kind, key)


def test_a_window_claims_no_lines() -> None:
    assert BOX.meaning("action", {"command": "open a.py 100"}).touches == ()
    assert BOX.meaning("open", {"path": "a.py", "line_number": 100}).touches == ()


def test_a_shell_command_among_the_actions_is_followed() -> None:
    assert BOX.meaning("action", {"command": "rm a.py"}).touches == (Touch("a.py", "change"),)


def test_functions_have_a_kind_and_a_key() -> None:
    assert BOX.meaning("create", {"filename": "a.py"}).kind == "write"
    assert BOX.meaning("find_file", {"file_name": "a.py"}).key == "glob::a.py"
    assert BOX.meaning("search_dir", {"search_term": "x", "dir": "src"}).key == "grep:src:x:"
