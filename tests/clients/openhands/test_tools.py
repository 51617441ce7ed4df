"""OpenHands' tools."""

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
        ("execute_bash", {"command": "cat a.py"}, "read", "a.py", (Touch("a.py", "read"),)),
        ("terminal", {"command": "ls"}, "shell", "ls", ()),
        ("str_replace_editor", {"command": "view", "path": A}, "read", A, (Touch(A, "read"),)),
        (
            "str_replace_editor",
            {"command": "view", "path": A, "view_range": [3, 9]},
            "read",
            A,
            (Touch(A, "read", Span(3, 9)),),
        ),
        (
            "str_replace_editor",
            {"command": "view", "path": A, "view_range": [3, -1]},
            "read",
            A,
            (Touch(A, "read", Span(3, None)),),
        ),
        (
            "str_replace_editor",
            {"command": "create", "path": A, "file_text": "x"},
            "write",
            A,
            (Touch(A, "write"),),
        ),
        ("str_replace_editor", {"command": "str_replace", "path": A}, "edit", A, (Touch(A, "edit"),)),
        ("str_replace_editor", {"command": "insert", "path": A}, "edit", A, (Touch(A, "edit"),)),
        ("str_replace_editor", {"command": "undo_edit", "path": A}, "edit", A, (Touch(A, "change"),)),
        ("edit_file", {"path": A, "start": 1, "end": -1, "content": "x"}, "edit", A, (Touch(A, "change"),)),
        ("task_tracker", {"command": "plan", "task_list": []}, "todo", "todo:write", ()),
        ("task_tracker", {"command": "view"}, "todo", "todo:read", ()),
    ],
)
def test_a_call(name: str, arguments: dict[str, Any], kind: Kind, key: str, touches: tuple[Touch, ...]) -> None:
    meaning = Toolbox().meaning(name, arguments)
    assert (meaning.kind, meaning.key, meaning.touches) == (kind, key, touches)
