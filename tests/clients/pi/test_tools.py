"""pi's tools."""

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
        ("read", {"path": A}, "read", A, (Touch(A, "read"),)),
        ("read", {"path": A, "offset": 10, "limit": 5}, "read", A, (Touch(A, "read", Span(10, 14)),)),
        ("write", {"path": A, "content": "x"}, "write", A, (Touch(A, "write"),)),
        ("edit", {"path": A, "edits": [{"oldText": "x", "newText": "y"}]}, "edit", A, (Touch(A, "edit"),)),
        ("bash", {"command": "ls", "timeout": 5}, "shell", "ls", ()),
        ("ls", {}, "list", "list:", ()),
        ("find", {"pattern": "*.py", "path": "/w"}, "list", "glob:/w:*.py", ()),
        ("grep", {"pattern": "x", "path": "/w"}, "search", "grep:/w:x:", ()),
        ("web_search", {"query": "q"}, "fetch", "search:q", ()),
    ],
)
def test_a_call(name: str, arguments: dict[str, Any], kind: Kind, key: str, touches: tuple[Touch, ...]) -> None:
    meaning = Toolbox().meaning(name, arguments)
    assert (meaning.kind, meaning.key, meaning.touches) == (kind, key, touches)
