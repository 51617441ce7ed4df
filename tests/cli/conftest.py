"""A small request, and a directory without settings in which tests run commands."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from prunus.cli import main

SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run a command in this process."""

    def invoke(*args: str, given: bytes = b"") -> Result:
        return CliRunner().invoke(main, args, input=given, catch_exceptions=False)

    return invoke


@pytest.fixture
def spawn() -> Callable[..., "subprocess.Popen[bytes]"]:
    """Start a command as a process of its own."""

    def start(*args: str) -> "subprocess.Popen[bytes]":
        pipe = subprocess.PIPE
        paths = os.pathsep.join([*(path for path in sys.path if path), str(SOURCE)])
        environment = {**os.environ, "PYTHONPATH": paths}
        command = [sys.executable, "-m", "prunus", *args]
        # Without a buffer, a test that reads one line leaves the others to `communicate`.
        return subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)

    return start


def _turn(id: str, tool: str, given: dict[str, Any], answer: str) -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": given}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": answer}]},
    ]


@pytest.fixture
def session() -> bytes:
    """A file is read, written as a whole, and the loop goes on."""
    text = "def greet(name):\n    return 'hello ' + name\n" * 30
    path = {"file_path": "/srv/app/greet.py"}
    messages = [
        {"role": "user", "content": "Rewrite greet.py, grüße aus Wien \x1b[31m"},
        *_turn("t1", "Read", path, text),
        *_turn("t2", "Write", {**path, "content": text.upper()}, "The file has been updated."),
        *_turn("t3", "Bash", {"command": "git status"}, "On branch main\n" + "\tmodified: a\n" * 40),
        *_turn("t4", "Bash", {"command": "git status"}, "On branch main\n" + "\tmodified: b\n" * 40),
        *_turn("t5", "Bash", {"command": "make"}, "ok"),
    ]
    body = {"model": "claude-sonnet-4-5", "system": "Be brief.", "messages": messages}
    return json.dumps(body, indent=1, ensure_ascii=False).encode()


@pytest.fixture
def file(session: bytes, tmp_path: Path) -> str:
    """The same request in a file."""
    path = tmp_path / "request.json"
    path.write_bytes(session)
    return str(path)
