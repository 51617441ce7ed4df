"""A small request: a file is read, written as a whole and read again, and the loop goes on."""

import json
from typing import Any

import pytest


def _turn(id: str, tool: str, given: dict[str, Any], answer: str) -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": given}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": answer}]},
    ]


@pytest.fixture
def session() -> bytes:
    text = "def greet(name):\n    return 'hello ' + name\n" * 30
    path = {"file_path": "/srv/app/greet.py"}
    messages = [
        {"role": "user", "content": "Rewrite greet.py, grüße aus Wien"},
        *_turn("t1", "Read", path, text),
        *_turn("t2", "Write", {**path, "content": text.upper()}, "The file has been updated."),
        *_turn("t3", "Bash", {"command": "git status"}, "On branch main\n" + "\tmodified: a\n" * 40),
        *_turn("t4", "Bash", {"command": "git status"}, "On branch main\n" + "\tmodified: b\n" * 40),
        *_turn("t5", "Bash", {"command": "make"}, "ok"),
    ]
    body = {"model": "claude-sonnet-4-5", "system": "Be brief.", "messages": messages}
    return json.dumps(body, indent=1, ensure_ascii=False).encode()
