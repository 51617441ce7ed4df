import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.lab.talk import chat_messages, reads

Run = Callable[..., Result]
ASKED = ("--workers", "1", "--policy", "none", "--policy", "mask:3", "--prices", "0.1/1.25", "--prices", "own")


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for n in range(9):
        messages = chat_messages(reads(5 + n))
        messages[1]["content"] = f"Please see to part {n}."
        (folder / f"{n}.json").write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}))
    (folder / "broken.json").write_text("not a session")
    return folder


def test_the_report_of_four_shards_is_that_of_one_run(run: Run, sessions: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs prunus[fleet]")
    whole = run("replay", str(sessions), *ASKED, "--out", str(tmp_path / "whole.parquet"))
    assert whole.exit_code == 0
    assert whole.stdout.startswith("9 conversations, 90 requests; 1 recording failed\n")
    for k in range(1, 5):
        out = tmp_path / f"part{k}.parquet"
        assert run("replay", str(sessions), *ASKED, "--shard", f"{k}/4", "--out", str(out)).exit_code in (0, 2)
    merged = run("report", str(tmp_path / "part*.parquet"))
    assert merged.exit_code == 0
    assert merged.stdout == whole.stdout
    assert merged.stdout == run("report", str(tmp_path / "whole.parquet")).stdout
    assert "Dollars of input at own prices" in merged.stdout


def test_the_table_of_a_run_with_rows_is_that_of_a_run_without(run: Run, sessions: Path, tmp_path: Path) -> None:
    plain = run("replay", str(sessions), *ASKED).stdout.splitlines()
    rows = run("replay", str(sessions), *ASKED, "--out", str(tmp_path / "rows.jsonl")).stdout.splitlines()
    assert plain[1:4] == rows[1:4]


def test_analyze_writes_rows_of_all_levels_with_its_own_costs(run: Run, sessions: Path, tmp_path: Path) -> None:
    rows, lines = tmp_path / "rows.jsonl", tmp_path / "lines.jsonl"
    assert run("analyze", str(sessions), "--workers", "1", "--out", str(rows)).exit_code == 0
    run("analyze", str(sessions), "--workers", "1", "--json", str(lines))
    found = [json.loads(line) for line in rows.read_text().splitlines()]
    policies = {"none", "safe", "balanced", "lean", "mask:10:30000", "clear:100000:3"}
    assert {row["policy"] for row in found if not row["failure"]} == policies
    costs = {(row["session"], row["cost"]) for row in found if row["policy"] == "balanced"}
    assert costs == {(one["session"], one["cost"]) for one in map(json.loads, lines.read_text().splitlines())}


def test_complete_rows_are_not_measured_again(run: Run, sessions: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("")
    result = run("replay", str(sessions), "--out", str(tmp_path / "rows.jsonl"))
    assert (result.exit_code, result.stdout) == (0, "")
    assert "rows.jsonl is complete; delete it to measure again" in result.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--shard", "1/4"), "--shard needs --out"),
        (("--out", "rows.csv"), "ends in .jsonl or .parquet"),
        (("--out", "rows.jsonl", "--shard", "5/4"), "give K/N"),
        (("--out", "rows.jsonl", "--html", "x.html"), "--html"),
    ],
)
@pytest.mark.parametrize("command", ["replay", "analyze"])
def test_wrong_options_are_explained(
    run: Run, sessions: Path, command: str, given: tuple[str, ...], said: str
) -> None:
    result = run(command, str(sessions), *given)
    assert result.exit_code == 2
    assert said in result.stderr


def test_without_duckdb_the_commands_say_how_to_install_it(
    run: Run, sessions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "rows.jsonl").write_text("{}")
    out = str(tmp_path / "rows.parquet")
    for asked in (("report", str(tmp_path / "rows.jsonl")), ("replay", str(sessions), "--out", out)):
        result = run(*asked)
        assert result.exit_code == 2
        assert "pip install 'prunus[fleet]'" in result.stderr


@pytest.mark.parametrize(
    ("name", "said"), [("gone.parquet", "no such file"), ("a.txt", "ends in"), ("*.jsonl", "no file")]
)
def test_report_explains_wrong_files(run: Run, tmp_path: Path, name: str, said: str) -> None:
    result = run("report", str(tmp_path / name))
    assert result.exit_code == 2
    assert said in result.stderr


def test_report_refuses_a_recording(run: Run, sessions: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs prunus[fleet]")
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(map(json.dumps, chat_messages(reads(3)))))
    result = run("report", str(path))
    assert result.exit_code == 2
    assert "are no rows of `prunus replay --out`" in result.stderr


@pytest.mark.parametrize("given", ["gone.jsonl", "gone/*.jsonl", "empty"])
@pytest.mark.parametrize("command", ["replay", "analyze"])
def test_paths_without_any_file_are_an_error_and_leave_no_rows(
    run: Run, tmp_path: Path, command: str, given: str
) -> None:
    (tmp_path / "empty").mkdir()
    out = tmp_path / "rows.jsonl"
    result = run(command, str(tmp_path / given), "--out", str(out))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"no file was found: {tmp_path / given}" in result.stderr
    assert not list(tmp_path.glob("rows*"))


def test_the_folder_of_rows_is_made(run: Run, sessions: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows" / "today" / "1.jsonl"
    assert run("replay", str(sessions), "--policy", "none", "--out", str(out)).exit_code == 0
    assert out.exists()


def test_a_folder_is_no_file_of_rows(run: Run, sessions: Path, tmp_path: Path) -> None:
    result = run("replay", str(sessions), "--out", str(tmp_path))
    assert result.exit_code == 2
    (tmp_path / "rows.jsonl").mkdir()
    result = run("replay", str(sessions), "--out", str(tmp_path / "rows.jsonl"))
    assert result.exit_code == 2
    assert "rows.jsonl: is a folder" in result.stderr


def test_rows_are_those_of_all_sessions_so_a_limit_is_refused(run: Run, sessions: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    result = run("analyze", str(sessions), "--limit", "2", "--out", str(out))
    assert result.exit_code == 2
    assert "goes without --limit" in result.stderr
    assert not out.exists()
