"""Codex's tools."""

from __future__ import annotations

from typing import Any

import pytest

from prunus.calls.meaning import Kind
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Span, Touch

A = "/w/a.py"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-1\n+2\n*** End Patch"


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "key", "touches"),
    [
        (
            "exec_command",
            {"cmd": "sed -n '1,9p' a.py", "workdir": "/w"},
            "read",
            A,
            (Touch(A, "read", Span(1, 9)),),
        ),
        ("exec_command", {"cmd": "ls", "workdir": "/w"}, "shell", "/w$ ls", ()),
        (
            "shell_command",
            {"command": "Get-Content a.py", "workdir": "C:\\w"},
            "read",
            "C:/w/a.py",
            (Touch("C:/w/a.py", "read"),),
        ),
        ("shell", {"command": ["bash", "-lc", "cat a.py"]}, "read", "a.py", (Touch("a.py", "read"),)),
        ("shell", {"command": ["apply_patch", PATCH]}, "edit", "a.py", (Touch("a.py", "edit"),)),
        (
            "shell",
            {"command": ["bash", "-lc", f"apply_patch <<'E'\n{PATCH}\nE"]},
            "edit",
            "a.py",
            (Touch("a.py", "edit"),),
        ),
        (
            "local_shell_call",
            {"action": {"command": ["cat", "a.py"], "working_directory": "/w"}},
            "read",
            A,
            (Touch(A, "read"),),
        ),
        ("local_shell_call", {"command": ["cat", "a.py"]}, "read", "a.py", (Touch("a.py", "read"),)),
        ("write_stdin", {"session_id": 3, "chars": ""}, "shell", "", ()),
        ("apply_patch", PATCH, "edit", "a.py", (Touch("a.py", "edit"),)),
        ("apply_patch", {"input": PATCH}, "edit", "a.py", (Touch("a.py", "edit"),)),
        ("apply_patch", {"patch": PATCH}, "edit", "a.py", (Touch("a.py", "edit"),)),
        (
            "apply_patch",
            PATCH + "\n*** Add File: b.py\n",
            "edit",
            "",
            (Touch("a.py", "edit"), Touch("b.py", "write")),
        ),
        (
            "exec",
            'const r = await tools.exec_command({cmd: "cat a.py"}); text(r.output);',
            "read",
            "a.py",
            (Touch("a.py", "read"),),
        ),
        (
            "exec",
            'const r = await tools.apply_patch("*** Update File: a.py"); text(r);',
            "edit",
            "a.py",
            (Touch("a.py", "edit"),),
        ),
        ("exec", "for (const f of files) await tools.exec_command({cmd: f});", "shell", "", ()),
        (
            "exec",
            'const r = await tools.exec_command({cmd: "cat a.py"}); text(r.output.slice(9));',
            "shell",
            "",
            (),
        ),
        ("update_plan", {"plan": []}, "todo", "todo:write", ()),
        ("view_image", {"path": "a.png"}, "read", "a.png", (Touch("a.png", "read"),)),
        ("spawn_agent", {"message": "go"}, "task", "", ()),
    ],
)
def test_a_call(
    name: str, arguments: dict[str, Any] | str, kind: Kind, key: str, touches: tuple[Touch, ...]
) -> None:
    meaning = Toolbox().meaning(name, arguments)
    assert (meaning.kind, meaning.key, meaning.touches) == (kind, key, touches)
