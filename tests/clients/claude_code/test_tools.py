"""Claude Code's tools."""

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
        ("Read", {"file_path": A}, "read", A, (Touch(A, "read"),)),
        ("Read", {"file_path": A, "offset": 10, "limit": 5}, "read", A, (Touch(A, "read", Span(10, 14)),)),
        ("Read", {"file_path": A, "limit": 5}, "read", A, (Touch(A, "read", Span(1, 5)),)),
        ("Read", {"file_path": A, "offset": 10}, "read", A, (Touch(A, "read", Span(10, None)),)),
        ("Write", {"file_path": A, "content": "x"}, "write", A, (Touch(A, "write"),)),
        ("Edit", {"file_path": A, "old_string": "x", "new_string": "y"}, "edit", A, (Touch(A, "edit"),)),
        ("MultiEdit", {"file_path": A, "edits": []}, "edit", A, (Touch(A, "edit"),)),
        ("NotebookEdit", {"notebook_path": A, "new_source": "x"}, "edit", A, (Touch(A, "edit"),)),
        ("LS", {"path": "/w"}, "list", "list:/w", ()),
        ("Glob", {"pattern": "**/*.py"}, "list", "glob::**/*.py", ()),
        ("Grep", {"pattern": "x", "path": "src", "glob": "*.py"}, "search", "grep:src:x:*.py", ()),
        ("Bash", {"command": "npm test", "description": "test"}, "shell", "npm test", ()),
        ("BashOutput", {"bash_id": "1"}, "shell", "", ()),
        ("WebFetch", {"url": "https://x.test", "prompt": "what?"}, "fetch", "https://x.test", ()),
        ("WebSearch", {"query": "q"}, "fetch", "search:q", ()),
        ("TodoWrite", {"todos": []}, "todo", "todo:write", ()),
        ("TodoRead", {}, "todo", "todo:read", ()),
        ("TaskList", {}, "todo", "todo:read", ()),
        ("TaskCreate", {"subject": "s", "description": "d"}, "todo", "", ()),
        ("TaskUpdate", {"taskId": "1", "status": "completed"}, "todo", "", ()),
        ("Task", {"description": "d", "prompt": "p", "subagent_type": "t"}, "task", "", ()),
        ("Agent", {"description": "d", "prompt": "p"}, "task", "", ()),
        ("Skill", {"skill": "commit"}, "other", "Skill:commit", ()),
    ],
)
def test_a_call(name: str, arguments: dict[str, Any], kind: Kind, key: str, touches: tuple[Touch, ...]) -> None:
    meaning = Toolbox().meaning(name, arguments)
    assert (meaning.kind, meaning.key, meaning.touches) == (kind, key, touches)
