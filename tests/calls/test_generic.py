"""Tools of other agents and servers."""

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
        ("read_file", {"path": A}, "read", A, (Touch(A, "read"),)),
        ("read_file", {"path": A, "start_line": 3, "end_line": 9}, "read", A, (Touch(A, "read", Span(3, 9)),)),
        ("read_file", {"path": A, "offset": 3, "limit": 2}, "read", A, (Touch(A, "read", Span(3, 4)),)),
        ("read_file", {"target_file": A, "should_read_entire_file": True}, "read", A, (Touch(A, "read"),)),
        ("read_text_file", {"path": A, "head": 5}, "read", A, ()),
        ("read_multiple_files", {"paths": ["a", "b"]}, "read", "", (Touch("a", "read"), Touch("b", "read"))),
        ("view", {"path": A, "view_range": [3, 9]}, "read", A, (Touch(A, "read", Span(3, 9)),)),
        ("write_file", {"path": A, "content": "x"}, "write", A, (Touch(A, "write"),)),
        ("create", {"path": A, "file_text": "x"}, "write", A, (Touch(A, "write"),)),
        ("edit_file", {"target_file": A, "code_edit": "x"}, "edit", A, (Touch(A, "change"),)),
        ("delete_file", {"target_file": A}, "edit", A, (Touch(A, "change"),)),
        ("list_dir", {"path": "/w"}, "list", "list:/w", ()),
        ("file_search", {"query": "a"}, "list", "glob::a", ()),
        ("grep_search", {"query": "x", "include_pattern": "*.py"}, "search", "grep::x:*.py", ()),
        ("codebase_search", {"query": "where"}, "search", "search:where", ()),
        ("run_terminal_cmd", {"command": "ls"}, "shell", "ls", ()),
        ("exec", {"command": "ls"}, "shell", "ls", ()),
        ("web_fetch", {"url": "https://x.test"}, "fetch", "https://x.test", ()),
        ("web_search", {"search_term": "q"}, "fetch", "search:q", ()),
        ("todo_write", {"todos": []}, "todo", "todo:write", ()),
        ("spawn", {"task": "t", "label": "l"}, "task", "", ()),
        ("browser_snapshot", {}, "snapshot", "browser_snapshot:", ()),
        (
            "mcp__playwright__browser_take_screenshot",
            {"filename": "a.png"},
            "snapshot",
            "mcp__playwright__browser_take_screenshot:a.png",
            (),
        ),
        ("take_snapshot", {}, "snapshot", "take_snapshot:", ()),
    ],
)
def test_a_call(name: str, arguments: dict[str, Any], kind: Kind, key: str, touches: tuple[Touch, ...]) -> None:
    meaning = Toolbox().meaning(name, arguments)
    assert (meaning.kind, meaning.key, meaning.touches) == (kind, key, touches)
