"""Which calls look for something."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.outlines.outline import searches


def asked(tool: str, given: dict[str, Any]) -> bool:
    """Whether a call counts as a search."""
    call = {"type": "tool_use", "id": "t", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "found"}
    messages = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    pruner = Pruner(Settings(preset="off"))
    outcome = pruner.prune(json.dumps({"system": "s", "max_tokens": 9, "messages": messages}).encode())
    assert outcome.error is None
    [use] = pruner._conversations[-1].engine.view.uses
    return searches(use)


@pytest.mark.parametrize(
    "command",
    [
        "rg amber src",
        "grep -rn amber .",
        "fgrep amber a.txt",
        "find . -name '*.py'",
        "ls -la",
        "ls",
        "git grep amber",
        "git ls-files src",
        "tree -L 2",
        "cd src && rg amber",
        "cd src; ls",
        "make || ls build",
        "pwd\nls",
        "Get-ChildItem -Recurse",
    ],
)
def test_a_command_that_looks_for_something_searches(command: str) -> None:
    assert asked("Bash", {"command": command})


@pytest.mark.parametrize(
    "command",
    [
        "make check",
        "npm test | grep amber",
        "cat findings.txt",
        "lsof -i",
        "tree-sitter generate",
        "find-python",
        "git log",
        "git grepfoo",
        "python rg.py",
        "echo 'ls'",
        "",
    ],
)
def test_other_commands_do_not_search(command: str) -> None:
    assert not asked("Bash", {"command": command})


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Grep", {"pattern": "amber"}, True),
        ("Glob", {"pattern": "*.py"}, True),
        ("LS", {"path": "/srv"}, True),
        ("Read", {"file_path": "/srv/find.py"}, False),
        ("Lookup", {"command": "rg amber"}, False),
    ],
)
def test_a_search_tool_counts_as_a_search(tool: str, given: dict[str, Any], expected: bool) -> None:
    assert asked(tool, given) is expected
