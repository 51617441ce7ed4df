"""`prunus ab` from end to end, with a scripted agent and a scripted provider."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prunus.ab.exchanges import read_exchanges
from prunus.cli import main
from tests.ab.stage import compare, lay_out, script
from tests.upstream import Upstream


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))


def report(folder: Path) -> Any:
    return json.loads((folder / "out" / "report.json").read_text())


def runs(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in (folder / "out").rglob("run.json"))


def test_both_arms_do_the_task_and_prunus_costs_less(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    with Upstream(script()) as up:
        done = compare(folder, up.url)
    assert done.exit_code == 0, done.output
    assert up.problems == []
    without, behind = sorted(report(folder)["runs"], key=lambda run: -len(run["arm"]))
    assert (without["arm"], behind["arm"]) == ("without", "behind")
    assert without["solved"] and behind["solved"]
    assert without["requests"] == behind["requests"] == 9
    assert without["calls"] == behind["calls"] == 8
    # The first read and the read after the repair are no re-reads.
    assert without["rereads"] == behind["rereads"] == 5
    # The provider's cache is warm for the arm that comes second, so tokens are compared and not dollars.
    assert tokens(behind) < tokens(without)
    assert "solved" in done.output and "1 of 1" in done.output


def tokens(run: dict[str, Any]) -> int:
    used: dict[str, int] = run["usage"]
    return used["input"] + used["cache_read"] + used["cache_write"]


def test_figures_are_those_of_the_provider_and_every_exchange_is_kept(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    with Upstream(script()) as up:
        compare(folder, up.url)
    found = report(folder)
    assert sum(tokens(run) for run in found["runs"]) == up.tokens.input
    assert sum(run["usage"]["output"] for run in found["runs"]) == up.tokens.output
    kept = [
        exchange
        for path in sorted((folder / "out").rglob("exchanges*"))
        for exchange in read_exchanges(path.parent)
    ]
    assert sorted(one.request for one in kept) == sorted(request.bytes.decode() for request in up.requests)
    assert all("Step" in one.answer or "Done" in one.answer for one in kept)
    for run in (folder / "out" / "runs" / "calc-1").iterdir():
        assert "Done." in (run / "agent.out").read_text()
        assert "OK" in (run / "check.txt").read_text()
        assert "sum(rows)" in (run / "work" / "calc.py").read_text()


def test_no_secret_is_written_beside_the_results(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    key = "cGx1bXBsdW1wbHVtcGx1bXBsdW1wbHVtcGx1bXBsdW0="
    sets = [f"store.key={key}", "proxy.token=plumtoken", "store.url=redis://anna:plumword@host/0"]
    with Upstream(script()) as up:
        done = compare(folder, up.url, *(word for one in sets for word in ("--set", one)))
    assert done.exit_code == 0, done.output
    found = (folder / "out" / "trial.json").read_text()
    assert "(set)" in found
    assert not [secret for secret in (key, "plumtoken", "plumword") if secret in found]


def test_a_change_of_the_tests_solves_nothing(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    with Upstream(script(repairs=False)) as up:
        done = compare(folder, up.url)
    assert [run["solved"] for run in report(folder)["runs"]] == [False, False]
    assert "0 of 1" in done.output


def test_a_patch_of_the_tests_is_applied_before_they_run(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    hidden = ["from calc import total", "assert total([7]) == 7"]
    added = "".join(f"+{line}\n" for line in hidden)
    patch = f"--- /dev/null\n+++ b/tests/hidden.py\n@@ -0,0 +1,{len(hidden)} @@\n{added}"
    instance = json.loads((folder / "instances.jsonl").read_text())
    instance |= {"test_patch": patch, "test_command": "{python} -m {tests}", "FAIL_TO_PASS": ["tests.hidden"]}
    (folder / "instances.jsonl").write_text(json.dumps(instance))
    with Upstream(script()) as up:
        compare(folder, up.url)
    assert [run["solved"] for run in report(folder)["runs"]] == [True, True]
    assert all("tests/hidden.py" not in request.bytes.decode() for request in up.requests)


def test_a_second_call_makes_only_the_missing_runs(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, "one", "two")
    with Upstream(script()) as up:
        compare(folder, up.url, "--tasks", "one")
        asked = len(up.requests)
        again = compare(folder, up.url, "--tasks", "one")
        assert len(up.requests) == asked and "0 to do" in again.output
        compare(folder, up.url)
        assert len(up.requests) == 2 * asked
        assert runs(folder) == ["1-behind", "1-behind", "1-without", "1-without"]
        other = compare(folder, up.url, "--preset", "acp")
    assert other.exit_code == 2
    assert "holds another comparison (settings): choose another --out" in other.output


def test_the_budget_stops_a_run_and_a_larger_budget_continues(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    with Upstream(script(reads=12)) as up:
        stopped = compare(folder, up.url, "--budget", "0.01")
        assert stopped.exit_code == 3, stopped.output
        assert "the budget of $0.01 is used up" in stopped.output
        assert runs(folder) == []
        asked = len(up.requests)
        assert asked < 15
        done = compare(folder, up.url)
    assert done.exit_code == 0, done.output
    assert runs(folder) == ["1-behind", "1-without"]
    [aside] = (folder / "out" / "runs" / "calc-1").glob("*.stopped-1")
    assert len(list(read_exchanges(aside))) == asked
    found = report(folder)
    assert found["spent"] > sum(run["dollars"] for run in found["runs"]) > 0


def test_the_possible_cost_is_shown_before_the_run(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, "one", "two")
    told = compare(folder, "http://127.0.0.1:9", "--dry-run", "--repeat", "3")
    assert told.exit_code == 0
    assert "2 tasks, 3 repeats, 2 arms: 12 runs, 12 to do" in told.output
    assert "It may cost about $8.13 more: $0.68 a run, as recorded sessions of that length did." in told.output
    assert "It stops when $5.00 is spent." in told.output
    assert not (folder / "out").exists()
    with Upstream(script()) as up:
        compare(folder, up.url, "--tasks", "one")
    after = compare(folder, up.url, "--dry-run")
    assert "as the 2 runs so far did" in after.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--agent", "no-such-agent"), "no-such-agent is not installed"),
        (("--model", "local-model"), "no dollar price is known for the model local-model"),
        (("--price", "cheap"), "give INPUT,CACHE_READ,CACHE_WRITE,OUTPUT"),
        (("--tasks", "nothing"), "no task nothing; there are calc-1"),
        (("--upstream", "openai"), "expected NAME=URL"),
    ],
)
def test_a_run_that_cannot_start_says_why_and_spends_nothing(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    with Upstream(script()) as up:
        done = compare(lay_out(tmp_path), up.url, *options)
        assert up.requests == []
    assert done.exit_code == 2
    assert message in done.output


def test_an_agent_that_gets_no_answer_ends_the_trial(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    done = compare(folder, "http://127.0.0.1:9")
    assert done.exit_code == 2
    assert "python got no answer from the model (exit code 1)" in done.output
    assert runs(folder) == []


def test_a_price_of_the_user_counts(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    with Upstream(script()) as up:
        compare(folder, up.url, "--model", "local-model", "--price", "local-*=0,0,0,1000")
    for run in report(folder)["runs"]:
        assert run["dollars"] == pytest.approx(run["usage"]["output"] / 1000)
        assert run["models"] == {"local-model": 9}


def test_results_are_printed_as_json(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    with Upstream(script()) as up:
        done = compare(folder, up.url, "--json")
    assert json.loads(done.stdout) == report(folder)
    names = [figure["name"] for figure in report(folder)["comparison"]["figures"]]
    assert names == ["solved", "dollars", "requests", "calls", "re-reads", "minutes"]


def test_the_bundled_tasks_are_the_default(tmp_path: Path) -> None:
    given = ("ab", "--dry-run", "--model", "claude-sonnet-4-5", "--out", str(tmp_path / "out"))
    told = CliRunner().invoke(main, given, catch_exceptions=False)
    assert "claude with claude-sonnet-4-5: 12 tasks, 1 repeat, 2 arms: 24 runs, 24 to do" in told.output
    assert "It may cost about $36.18 more" in told.output


def test_a_key_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()
    shutil.copy("/bin/true", tmp_path / "bin" / "claude")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    given = ("ab", "--model", "claude-sonnet-4-5", "--budget", "1", "--out", str(tmp_path / "out"))
    told = CliRunner().invoke(main, given, catch_exceptions=False)
    assert told.exit_code == 2
    assert "no API key for claude: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN." in told.output
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")
    past = CliRunner().invoke(main, given, catch_exceptions=False)
    assert (past.exit_code, "requests go to Amazon Bedrock, past Prunus" in past.output) == (2, True)


@pytest.mark.parametrize("limit", [("--budget", "nan"), ("--budget", "inf"), ("--minutes", "nan")])
def test_a_limit_that_limits_nothing_is_refused(limit: tuple[str, str]) -> None:
    result = CliRunner().invoke(main, ["ab", "--dry-run", *limit])
    assert result.exit_code == 2 and f"{limit[1]} limits nothing" in result.output
