"""OpenCode's tools."""

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
        ("read", {"filePath": A}, "read", A, (Touch(A, "read"),)),
        ("read", {"filePath": A, "offset": 10, "limit": 5}, "read", A, (Touch(A, "read", Span(10, 14)),)),
        ("write", {"filePath": A, "content": "x"}, "write", A, (Touch(A, "write"),)),
        ("edit", {"filePath": A, "oldString": "x", "newString": "y"}, "edit", A, (Touch(A, "edit"),)),
        (
            "apply_patch",
            {"patchText": "*** Begin Patch\n*** Update File: a.py\n"},
            "edit",
            "a.py",
            (Touch("a.py", "edit"),),
        ),
        ("list", {"path": "/w"}, "list", "list:/w", ()),
        ("glob", {"path": "/w", "pattern": "*.py"}, "list", "glob:/w:*.py", ()),
        ("grep", {"path": "/w", "pattern": "x", "include": "*.py"}, "search", "grep:/w:x:*.py", ()),
        ("bash", {"command": "ls", "workdir": "/w"}, "shell", "/w$ ls", ()),
        ("bash", {"command": "cat a.py", "workdir": "/w"}, "read", A, (Touch(A, "read"),)),
        ("webfetch", {"url": "https://x.test", "format": "text"}, "fetch", "https://x.test", ()),
        ("websearch", {"query": "q"}, "fetch", "search:q", ()),
        ("todowrite", {"todos": []}, "todo", "todo:write", ()),
        ("todoread", {}, "todo", "todo:read", ()),
        ("task", {"description": "d", "prompt": "p"}, "task", "", ()),
        ("skill", {"name": "commit"}, "other", "skill:commit", ()),
    ],
)
def test_a_call(name: str, arguments: dict[str, Any], kind: Kind, key: str, touches: tuple[Touch, ...]) -> None:
    meaning = Toolbox().meaning(name, arguments)
    assert (meaning.kind, meaning.key, meaning.touches) == (kind, key, touches)


@pytest.mark.parametrize(
    ("name", "arguments", "kept"),
    [
        ("read", {"filePath": A}, ("filePath", "offset", "limit")),
        ("write", {"filePath": A}, ("filePath",)),
        ("edit", {"filePath": A}, ("filePath",)),
        ("glob", {"pattern": "*"}, ("pattern", "path")),
        ("grep", {"pattern": "x"}, ("pattern", "path", "include")),
        ("bash", {"command": "ls"}, ("command", "description", "workdir")),
        ("webfetch", {"url": "u"}, ("url", "format")),
        ("websearch", {"query": "q"}, ("query",)),
        ("task", {}, ("description", "subagent_type")),
        ("skill", {"name": "n"}, ("name",)),
        ("todowrite", {"todos": []}, ()),
    ],
)
def test_arguments_that_identify_a_call_of_opencode(
    name: str, arguments: dict[str, Any], kept: tuple[str, ...]
) -> None:
    assert Toolbox().meaning(name, arguments).metadata == kept
