import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.lab.talk import chat_messages, reads

Run = Callable[..., Result]


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(chat_messages(reads(20))))
    return str(path)


def test_replay_prints_a_line_per_policy(run: Run, recorded: str) -> None:
    result = run("replay", recorded, "--policy", "none", "--policy", "mask:3", "--prices", "0.1/1.25")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["none", "1.000"] in [line[:2] for line in lines]
    assert any(line[0] == "mask:3" for line in lines)
    assert result.stdout.startswith("1 conversation, 20 requests")


def test_replay_has_an_example(run: Run) -> None:
    assert "  prunus replay" in run("replay", "--help").stdout


def test_rows_and_picture_are_written(run: Run, recorded: str, tmp_path: Path) -> None:
    rows, page = tmp_path / "rows.jsonl", tmp_path / "page.html"
    asked = ("--policy", "none", "--policy", "mask:3", "--prices", "0.1/1.25", "--prices", "0.5/1.0")
    assert run("replay", recorded, *asked, "--json", str(rows), "--html", str(page)).exit_code == 0
    assert len([json.loads(line) for line in rows.read_text().splitlines()]) == 4
    assert page.read_text().count("<svg") == 2


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_file_that_cannot_be_written_is_named_behind_the_table(
    run: Run, recorded: str, tmp_path: Path, option: str
) -> None:
    out = tmp_path / "nowhere" / "out"
    result = run("replay", recorded, "--policy", "mask:3", "--prices", "0.1/1.25", option, str(out))
    assert result.exit_code == 2
    assert f"{out}: no such file or directory" in result.stderr
    assert "mask:3" in result.stdout


def test_a_damaged_file_is_reported_and_skipped(run: Run, recorded: str, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text("not a session")
    result = run("replay", str(tmp_path / "broken.jsonl"), recorded, "--policy", "none")
    assert result.exit_code == 0
    assert "broken.jsonl" in result.stderr
    assert "1 conversation," in result.stdout


def test_damaged_records_are_counted(run: Run, tmp_path: Path) -> None:
    rows = [json.dumps({"session_id": "a", "messages": chat_messages(reads(n))}) for n in (1, 2)]
    (tmp_path / "t.jsonl").write_text("\n".join([*rows, '{"session_id": "a", "mess']))
    result = run("replay", str(tmp_path / "t.jsonl"), "--policy", "none")
    assert result.stdout.splitlines()[0].endswith("; 1 damaged record skipped")


def test_nothing_readable_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text("not a session")
    result = run("replay", str(tmp_path / "broken.jsonl"))
    assert result.exit_code == 2
    assert "no recorded session" in result.stderr


@pytest.mark.parametrize("command", ["replay", "analyze"])
def test_replay_explains_why_a_file_cannot_be_opened(run: Run, tmp_path: Path, command: str) -> None:
    result = run(command, str(tmp_path / "gone.json"))
    assert result.exit_code == 2
    assert f"{tmp_path / 'gone.json'}: no such file or directory\n" in result.stderr
    (tmp_path / "empty.json").write_text("")
    assert "empty.json: is empty" in run(command, str(tmp_path / "empty.json")).stderr


def test_an_empty_folder_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run("replay", str(tmp_path / "empty")).exit_code == 2


@pytest.mark.parametrize("wrong", [("--policy", "maks:3"), ("--prices", "cheap")])
def test_wrong_names_are_errors_that_list_the_right_ones(run: Run, recorded: str, wrong: tuple[str, str]) -> None:
    result = run("replay", recorded, *wrong)
    assert result.exit_code == 2
    assert ("mask:N" if wrong[0] == "--policy" else "0.1/1.25") in result.stderr


def test_analyze_and_replay_show_the_same_cost(run: Run, tmp_path: Path) -> None:
    steps = []
    for read in reads(15, lines=120):
        steps += [read, ("Write", {**read[1], "content": "done = True\n" * 40}, "The file has been updated.")]
    sessions = (
        ("short", "claude-sonnet-4-5", steps[:3]),
        ("resumed", "claude-sonnet-4-5", steps),
        ("cached-otherwise", "gpt-5.6", steps[2:]),
    )
    for age, (name, model, taken) in enumerate(sessions):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"model": model, "messages": chat_messages(taken)}))
        os.utime(path, (1000 + age, 1000 + age))
    paths = [str(tmp_path / f"{name}.json") for name, _, _ in sessions]
    rows, lines = tmp_path / "rows.jsonl", tmp_path / "lines.jsonl"
    analyzed = run("analyze", *paths, "--json", str(rows))
    replayed = run("replay", *paths, "--policy", "auto", "--prices", "own", "--json", str(lines))
    said, again = (
        {
            (one["session"], one["requests"], one["unpruned"], one["cost"])
            for one in map(json.loads, file.read_text().splitlines())
        }
        for file in (rows, lines)
    )
    assert said == again
    assert all(cost < unpruned for session, _, unpruned, cost in said if session != "short")
    cost = re.search(r"^auto +(\S+) ", replayed.stdout, re.MULTILINE)
    assert cost is not None
    assert re.search(rf"^openai-chat .* {re.escape(cost[1])} ", analyzed.stdout, re.MULTILINE)


def test_the_first_price_column_is_own_and_refers_to_analyze(run: Run, recorded: str) -> None:
    result = run("replay", recorded, "--policy", "auto")
    header = next(line.split() for line in result.stdout.splitlines() if line.startswith("policy"))
    assert header[1:3] == ["own", "0.1/1.25"]
    assert "`prunus replay` estimates tokens" in result.stdout


def test_replay_says_that_short_conversations_are_left_out(run: Run, recorded: str) -> None:
    result = run("replay", recorded, "--policy", "none", "--min-requests", "30")
    assert result.exit_code == 0
    assert "1 with fewer than 30 requests left out" in result.stdout


def test_replay_compares_a_schedule_with_the_clairvoyant(run: Run, recorded: str) -> None:
    asked = ("--policy", "auto", "--policy", "clairvoyant", "--prices", "0.1/1.25", "--prices", "0.5/1.0")
    result = run("replay", recorded, *asked)
    assert result.exit_code == 0
    assert re.search(r"auto over clairvoyant: 1\.\d{3} at 0\.1/1\.25, 1\.\d{3} at 0\.5/1\.0", result.stdout)


def test_the_table_and_the_rows_show_losses_and_tokens(run: Run, recorded: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    result = run("replay", recorded, "--policy", "mask:3", "--prices", "0.1/1.25", "--json", str(rows))
    header = next(line.split() for line in result.stdout.splitlines() if line.startswith("policy"))
    shown = "effective lost/1000 hard lines files soft tokens peak breaks/100 flushes undeclared invalid"
    assert set(shown.split()) <= set(header)
    row = json.loads(rows.read_text())
    written = "effective lost lines_kept files_kept soft_kept in_place tokens peak breaks flushes invalid"
    assert set(written.split()) <= set(row)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_full_disk_names_the_file(run: Run, recorded: str, option: str) -> None:
    result = run("replay", recorded, "--policy", "none", option, "/dev/full")
    assert result.exit_code == 2
    assert "Error: /dev/full: no space left on device" in result.stderr
