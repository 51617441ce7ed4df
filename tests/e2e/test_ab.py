"""`prunus ab` with real clients: a scripted model repairs a file, without Prunus and behind it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prunus.ab.exchanges import read_exchanges
from prunus.ab.tasks import CodingTask, bundled, named_tasks
from prunus.cli import main
from tests.ab.stage import lay_out
from tests.e2e.clients import asked_for
from tests.e2e.install import NotInstalled, install
from tests.upstream import Edit, Read, Run, Script, Step, Upstream

pytestmark = pytest.mark.e2e

MODELS = {"claude": "claude-sonnet-4-5", "codex": "gpt-5.5", "mini": "openai/local-model"}
UPSTREAMS = {"claude": "anthropic", "codex": "openai", "mini": "openai"}
STEPS = (
    Step((Read("calc.py"),), "I look at the file."),
    Step((Run("python3 -m unittest tests.test_calc"),), "The test fails."),
    Step((Read("calc.py"),), "Once more."),
    Step((Run("cat calc.py"),), "And by the shell."),
    Step((Edit("calc.py", "    return sum(rows[1:])\n", "    return sum(rows)\n"),), "The first row counts too."),
    Step((Run("python3 -m unittest tests.test_calc"),), "The test passes."),
    Step((Read("calc.py"),), "A last look."),
    Step(text="The sum is right."),
)


@pytest.fixture(params=[name for name in MODELS if name in asked_for()])
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The program of each client that is asked for."""
    try:
        program = install(request.param)
    except NotInstalled as reason:
        pytest.skip(f"{request.param} cannot be installed: {reason}")
    if request.param != "mini":
        return program
    # The scripts of a virtual environment name the folder in which it was made.
    started = tmp_path / "bin" / "mini"
    started.parent.mkdir()
    started.write_text(f'#!/bin/sh\nexec {program} -m minisweagent.run.mini "$@"\n')
    started.chmod(0o755)
    return started


def test_both_arms_with_a_real_client(agent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(key, "dummy")
    folder, out = lay_out(tmp_path / "tasks"), tmp_path / "out"
    with Upstream(Script(STEPS)) as up:
        given = (
            "ab", "--agent", str(agent), "--model", MODELS[agent.name],
            "--instances", str(folder), "--out", str(out), "--upstream", f"{UPSTREAMS[agent.name]}={up.url}", 
            "--budget", "50", "--minutes", "3", "--price", "local-*=1,0.1,1,4", "--set", "agent.offer=off",
        )  # fmt: skip
        done = CliRunner().invoke(main, given, catch_exceptions=False)
    told = "\n".join(path.read_text() for path in sorted(out.rglob("agent.*")))
    assert done.exit_code == 0, done.output + told
    assert up.problems == []
    without, behind = runs(out)
    assert without["solved"] and behind["solved"], told
    assert without["exit_code"] == behind["exit_code"] == 0
    assert without["requests"] == behind["requests"] >= len(STEPS)
    # The file is read three times before it is edited, and once after; the second and third reads are repeated.
    assert (without["rereads"], behind["rereads"]) == (2, 2)
    used = [run["usage"] for run in (without, behind)]
    assert sum(one["input"] + one["cache_read"] + one["cache_write"] for one in used) == up.tokens.input
    assert all(run["dollars"] > 0 for run in (without, behind))
    assert longest(out, "behind") < longest(out, "without")


def runs(out: Path) -> list[dict[str, Any]]:
    """Both runs, that without Prunus first."""
    found: list[dict[str, Any]] = json.loads((out / "report.json").read_text())["runs"]
    return sorted(found, key=lambda run: run["arm"], reverse=True)


def longest(out: Path, arm: str) -> int:
    """The length of the longest request that the provider saw in an arm."""
    return max(len(one.request) for one in read_exchanges(out / "runs" / "calc-1" / f"1-{arm}"))


def solving(task: CodingTask) -> Script:
    """A model that works as the prompt asks: file by file, each repair an edit of its own."""
    steps: list[Step] = []
    assert isinstance(task.source, Mapping)
    for name in sorted(name for name in task.source if name.endswith(".py") and not name.startswith("tests/")):
        steps.append(Step((Read(name),), f"I read {name}."))
        steps += (
            Step((Edit(name, repair.wrong, repair.right),), f"I repair {name}.")
            for repair in task.repairs
            if repair.path == name
        )
    for path in sorted(Path(name) for name in task.source if name.startswith("tests/test_")):
        steps.append(Step((Read(path.as_posix()),), f"What does {path.name} want?"))
        steps.append(Step((Run(f"python3 -m unittest tests.{path.stem}"),), "I run it."))
    return Script((*steps, Step(text="All tests pass.")))


@pytest.mark.skipif("claude" not in asked_for(), reason="claude is not asked for by PRUNUS_E2E_CLIENTS")
def test_a_bundled_task_is_solved_in_both_arms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        program = install("claude")
    except NotInstalled as reason:
        pytest.skip(f"claude cannot be installed: {reason}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    [task], out = named_tasks(bundled(), ["ledger"]), tmp_path / "out"
    with Upstream(solving(task)) as up:
        given = (
            "ab", "--agent", str(program), "--model", MODELS["claude"], "--tasks", task.name, "--out", str(out),
            "--upstream", f"anthropic={up.url}", "--budget", "50", "--minutes", "5",
        )  # fmt: skip
        done = CliRunner().invoke(main, given, catch_exceptions=False)
    told = "\n".join(path.read_text() for path in sorted(out.rglob("agent.*")))
    assert done.exit_code == 0, done.output + told
    assert up.problems == []
    without, behind = runs(out)
    assert without["solved"] and behind["solved"], told
    assert without["calls"] == behind["calls"] >= 35
