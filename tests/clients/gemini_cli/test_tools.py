"""Gemini CLI's tools."""

from __future__ import annotations

from typing import Any

import pytest

from prunus.calls.meaning import Kind
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Span, Touch

A = "/w/a.py"


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "key", "touches"),
    [
        ("read_file", {"file_path": A}, "read", A, (Touch(A, "read"),)),
        ("read_file", {"file_path": A, "start_line": 3, "end_line": 9}, "read", A, (Touch(A, "read", Span(3, 9)),)),
        ("read_file", {"absolute_path": A, "offset": 9, "limit": 5}, "read", A, (Touch(A, "read", Span(10, 14)),)),
        ("read_many_files", {"include": ["a.py", "src/**"]}, "read", "a.py", (Touch("a.py", "read"),)),
        ("write_file", {"file_path": A, "content": "x"}, "write", A, (Touch(A, "write"),)),
        ("replace", {"file_path": A, "old_string": "x", "new_string": "y"}, "edit", A, (Touch(A, "edit"),)),
        ("list_directory", {"dir_path": "/w"}, "list", "list:/w", ()),
        ("glob", {"pattern": "*.py", "dir_path": "/w"}, "list", "glob:/w:*.py", ()),
        (
            "grep_search",
            {"pattern": "x", "dir_path": "/w", "include_pattern": "*.py"},
            "search",
            "grep:/w:x:*.py",
            (),
        ),
        ("run_shell_command", {"command": "ls", "dir_path": "sub"}, "shell", "sub$ ls", ()),
        ("web_fetch", {"prompt": "read https://x.test"}, "fetch", "read https://x.test", ()),
        ("google_web_search", {"query": "q"}, "fetch", "search:q", ()),
        ("write_todos", {"todos": []}, "todo", "todo:write", ()),
        ("invoke_agent", {"agent_name": "a", "prompt": "p"}, "task", "", ()),
        ("activate_skill", {"name": "commit"}, "other", "activate_skill:commit", ()),
    ],
)
def test_a_call(name: str, arguments: dict[str, Any], kind: Kind, key: str, touches: tuple[Touch, ...]) -> None:
    meaning = Toolbox().meaning(name, arguments)
    assert (meaning.kind, meaning.key, meaning.touches) == (kind, key, touches)
