import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import Result
from rich.cells import cell_len

from prunus.pruner import prune

Run = Callable[..., Result]
Spawn = Callable[..., "subprocess.Popen[bytes]"]


def demo() -> bytes:
    return files("prunus").joinpath("data", "demo.json").read_bytes()


def test_the_demo_shows_what_it_promises(run: Run) -> None:
    result = run("demo")
    assert result.exit_code == 0
    shown = result.stdout
    assert re.search(r"^「 .* 」$", shown, re.MULTILINE)
    assert re.search(r"^[\d.]+K -> [\d.]+K tokens \(\d+% less\)", shown, re.MULTILINE)
    assert "Strategy Effectiveness:" in shown
    assert re.search(r", stale_reads: .* tokens\)\n    - .*\n    \+ \[Prunus: older read of ", shown)
    assert len(re.findall(r"^    \+ ", shown, re.MULTILINE)) == 3
    assert "Pruned again: nothing changes." in shown


def test_the_demo_counts_untouched_messages_truly(run: Run) -> None:
    body = demo()
    edited = {edit.target.message for edit in prune(body).edits}
    total = len(json.loads(body)["messages"])
    untouched = total - len(edited)
    words = f"Untouched: {untouched} of {untouched} messages without an edit kept every byte, of {total} in all."
    assert words in run("demo").stdout


def test_the_demo_fits_a_screen(run: Run) -> None:
    lines = run("demo").stdout.splitlines()
    assert len(lines) <= 45
    assert max(map(cell_len, lines)) <= 100


def test_the_demo_suggests_commands_that_work_as_they_are_printed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = tmp_path / "bin" / "codex"
    agent.parent.mkdir()
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{agent.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    suggested = re.findall(r"^  (\S.* -m prunus .*?)(?:   .*)?$", run("demo").stdout, re.MULTILINE)
    assert [line.split()[3] for line in suggested] == ["analyze", "run", "setup", "strategies"]
    assert suggested[1].split()[3:] == ["run", "codex"]
    for line in suggested:
        done = run(*line.split()[3:])
        assert done.exit_code == 0, (line, done.output)


def test_the_demo_ignores_the_settings_around_it(run: Run) -> None:
    Path("prunus.toml").write_text("nonsense = 1\n")
    assert run("demo").exit_code == 0


def test_the_demo_imports_neither_the_proxy_nor_the_lab(spawn: Spawn) -> None:
    """The proxy and the lab take seconds to import, and the demo is the first command that people try."""
    out, err = spawn("demo").communicate()
    assert (bool(out), err) == (True, b"")
    run = "import sys; from prunus.cli import main; main(['demo'], standalone_mode=False); "
    heavy = "print(*{name.split('.')[0] for name in sys.modules} & {'aiohttp', 'starlette', 'uvicorn', 'mcp'})"
    done = subprocess.run([sys.executable, "-c", run + heavy], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_the_session_is_a_request_of_an_agent() -> None:
    body = json.loads(demo())
    blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
    kinds = {block["type"] for block in blocks}
    assert kinds == {"text", "thinking", "image", "tool_use", "tool_result"}
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert calls == results
    assert [m["role"] for m in body["messages"]] == ["user", "assistant"] * 24 + ["user"]
    assert 100_000 < len(demo()) < 200_000


def test_the_session_gives_most_strategies_something_to_find() -> None:
    found = {edit.strategy for edit in prune(demo()).edits}
    assert found >= {
        "duplicate_calls", "stale_reads", "repeated_fetches", "repeated_queries", "old_todos", "retried_errors",
        "old_errors", "finished_results", "old_attachments", "spent_inputs",
    }  # fmt: skip
