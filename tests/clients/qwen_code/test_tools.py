"""Qwen Code's tools."""

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
        ("read_file", {"file_path": A, "offset": 9, "limit": 5}, "read", A, (Touch(A, "read", Span(10, 14)),)),
        ("edit", {"file_path": A, "old_string": "x", "new_string": "y"}, "edit", A, (Touch(A, "edit"),)),
        ("write_file", {"file_path": A, "content": "x"}, "write", A, (Touch(A, "write"),)),
        ("list_directory", {"path": "/w"}, "list", "list:/w", ()),
        ("glob", {"pattern": "*.py", "path": "/w"}, "list", "glob:/w:*.py", ()),
        ("grep_search", {"pattern": "x", "path": "/w", "glob": "*.py"}, "search", "grep:/w:x:*.py", ()),
        ("run_shell_command", {"command": "cat a.py", "directory": "/w"}, "read", A, (Touch(A, "read"),)),
        ("todo_write", {"todos": []}, "todo", "todo:write", ()),
        ("web_fetch", {"url": "https://x.test", "prompt": "what?"}, "fetch", "https://x.test", ()),
        ("web_search", {"query": "q"}, "fetch", "search:q", ()),
        ("agent", {"description": "d", "prompt": "p"}, "task", "", ()),
        ("skill", {"skill": "commit"}, "other", "skill:commit", ()),
    ],
)
def test_a_call(name: str, arguments: dict[str, Any], kind: Kind, key: str, touches: tuple[Touch, ...]) -> None:
    meaning = Toolbox().meaning(name, arguments)
    assert (meaning.kind, meaning.key, meaning.touches) == (kind, key, touches)
