"""`prunus analyze`. The tests use a home directory of their own, never the real one."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.lab.talk import Step, chat_messages, reads

Run = Callable[..., Result]

_VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "XDG_DATA_HOME",
    "OPENCODE_DB",
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
    "GEMINI_CLI_HOME",
    "COPILOT_HOME",
    "MSWEA_GLOBAL_CONFIG_DIR",
    "LOCALAPPDATA",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    for variable in _VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.setenv("USERPROFILE", str(path))
    return path


def steps(count: int) -> list[Step]:
    """Files that are read and then written as a whole."""
    found: list[Step] = []
    for read in reads(count, lines=120):
        written = {**read[1], "content": "done = True\n" * 40}
        found += [read, ("Write", written, "The file has been updated.")]
    return found


def claude(
    home: Path, name: str, changed: float = 1000.0, model: str = "claude-sonnet-4-5", tail: str = ""
) -> Path:
    """A session as Claude Code keeps it."""

    def line(uuid: str, parent: str | None, message: dict[str, Any]) -> str:
        return json.dumps(
            {
                "type": message["role"],
                "uuid": uuid,
                "parentUuid": parent,
                "sessionId": name,
                "isSidechain": False,
                "message": message,
            }
        )

    lines = [line("u", None, {"role": "user", "content": "Please see to it."})]
    parent = "u"
    for n, (tool, given, answer) in enumerate(steps(10)):
        call = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": answer}
        said = {"role": "assistant", "id": f"m{n}", "model": model, "usage": {}, "content": [call]}
        lines += [line(f"a{n}", parent, said), line(f"r{n}", f"a{n}", {"role": "user", "content": [result]})]
        parent = f"r{n}"
    path = home / ".claude" / "projects" / "app" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + tail)
    os.utime(path, (changed, changed))
    return path


def test_without_sessions_analyze_lists_searched_folders_and_the_demo(run: Run, home: Path) -> None:
    result = run("analyze")
    assert result.exit_code == 0
    assert str(home / ".claude" / "projects") in result.stdout
    assert str(home / ".codex" / "sessions") in result.stdout
    assert "prunus demo" in result.stdout


def test_analyze_finds_own_sessions_and_shows_savings(run: Run, home: Path) -> None:
    claude(home, "one")
    result = run("analyze")
    assert result.exit_code == 0
    assert result.stdout.startswith("1 session in 1 file, 20 requests")
    assert re.search(
        r"1 session: \$0\.\d\d of input; Prunus would have saved \$0\.\d\d \([1-9]\d*%\); "
        r"\d+\.\d% of what the agents used later stayed in view",
        result.stdout,
    )
    agent = next(line.split() for line in result.stdout.splitlines() if line.startswith("claude-code "))
    assert agent[1:3] == ["1", "20"]
    assert float(agent[7]) < 1
    for heading in ("By agent", "Prompt cache", "By strategy", "Gained least"):
        assert heading in result.stdout
    assert "$" not in run("analyze", "--no-money").stdout


def test_several_agents_have_a_line_each_and_one_for_all(run: Run, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "talk.json"
    other.write_text(json.dumps(chat_messages(steps(10))))
    result = run("analyze", str(claude(home, "one")), str(other))
    lines = [line.split()[:3] for line in result.stdout.splitlines() if line]
    assert ["claude-code", "1", "20"] in lines
    assert ["openai-chat", "1", "20"] in lines
    assert ["all", "2", "40"] in lines
    assert "No price is known for no name" in result.stdout


def test_analyze_takes_the_newest_files_and_reports_the_others(run: Run, home: Path, tmp_path: Path) -> None:
    claude(home, "old", 1000.0)
    claude(home, "new", 3000.0)
    claude(home, "middle", 2000.0)
    out = tmp_path / "rows.jsonl"
    result = run("analyze", "--limit", "1", "--json", str(out))
    assert "2 older files left out" in result.stdout
    assert [json.loads(line)["session"] for line in out.read_text().splitlines()] == ["new"]


def test_a_price_gives_dollars(run: Run, home: Path, tmp_path: Path) -> None:
    claude(home, "one")
    out = tmp_path / "rows.jsonl"
    result = run("analyze", "--input-price", "1000", "--json", str(out))
    (row,) = (json.loads(line) for line in out.read_text().splitlines())
    saved = row["unpruned"] - row["cost"]
    assert f"${row['unpruned'] / 1000:,.2f} of input; Prunus would have saved ${saved / 1000:,.2f}" in result.stdout
    agent = next(line.split() for line in result.stdout.splitlines() if line.startswith("claude-code "))
    assert agent[5:7] == [f"${row['unpruned'] / 1000:,.2f}", f"${row['cost'] / 1000:,.2f}"]


def test_models_without_a_price_have_no_dollars(run: Run, home: Path) -> None:
    other = home / "talk.json"
    other.write_text(json.dumps(chat_messages(steps(4))))
    result = run("analyze", str(claude(home, "one")), str(other), "--input-price", "claude*=3")
    assert "No dollar price is known for no name" in result.stdout
    assert "of input (1 session without a price);" in result.stdout


def test_a_wrong_price_is_an_error_with_an_example(run: Run, home: Path) -> None:
    claude(home, "one")
    result = run("analyze", "--input-price", "cheap")
    assert result.exit_code == 2
    assert "PATTERN=USD" in result.stderr


def test_a_copy_of_a_session_is_counted_once(run: Run, home: Path) -> None:
    claude(home, "one", 1000.0)
    claude(home, "two", 2000.0)
    result = run("analyze")
    assert result.stdout.startswith("1 session in 2 files, 20 requests")
    assert "counted once (1 session left out)" in result.stdout


def test_unreadable_and_damaged_files_are_counted_and_named(run: Run, home: Path) -> None:
    claude(home, "one", tail='\n{"type": "assist')
    (home / ".claude" / "projects" / "app" / "broken.jsonl").write_text("no session at all")
    result = run("analyze")
    assert result.exit_code == 0
    assert "1 file unreadable" in result.stdout
    assert "1 damaged record skipped in 1 file" in result.stdout
    assert re.search(r"unreadable: .*broken\.jsonl", result.stderr)
    assert re.search(r"damaged: .*one\.jsonl: 1 record skipped", result.stderr)


def test_given_files_that_are_all_unreadable_are_an_error(run: Run, home: Path) -> None:
    broken = home / ".claude" / "projects" / "app" / "broken.jsonl"
    broken.parent.mkdir(parents=True)
    broken.write_text("no session at all")
    assert run("analyze", str(broken)).exit_code == 2
    found = run("analyze")
    assert found.exit_code == 0
    assert "There is no recorded session in 1 file." in found.stdout
    assert "prunus demo" in found.stdout


def test_a_missing_path_is_an_error(run: Run, tmp_path: Path) -> None:
    result = run("analyze", str(tmp_path / "gone.jsonl"))
    assert result.exit_code == 2
    assert "gone.jsonl" in result.stderr


def test_the_page_holds_what_the_terminal_shows(run: Run, home: Path, tmp_path: Path) -> None:
    claude(home, "one")
    out = tmp_path / "page.html"
    result = run("analyze", "--html", str(out))
    text = out.read_text()
    lead = next(line for line in result.stdout.splitlines() if line.startswith("1 session: "))
    assert lead in text
    assert text.count('<div class="bars">') == 4 and 'class="curve"' in text
    assert not re.search(r"https?:|<script", text)


def test_a_page_that_cannot_be_written_is_an_error_after_the_answer(run: Run, home: Path, tmp_path: Path) -> None:
    claude(home, "one")
    result = run("analyze", "--html", str(tmp_path / "no" / "page.html"))
    assert result.exit_code == 2
    assert "Prunus would have" in result.stdout
    assert "page.html" in result.stderr


def test_an_unknown_model_is_paid_at_the_stated_default(run: Run, home: Path) -> None:
    claude(home, "one", model="some-model")
    assert "No price is known for some-model: read 0.1, write 1.25 assumed." in run("analyze").stdout


def test_analyze_says_whether_replay_gives_the_same_cost(run: Run, home: Path) -> None:
    path = claude(home, "one")
    same = "compares with other policies and gives the same cost"
    assert same in run("analyze", str(path)).stdout
    billed = {"input_tokens": 900, "cache_read_input_tokens": 30_000, "cache_creation_input_tokens": 0}
    path.write_text(path.read_text().replace('"usage": {}', f'"usage": {json.dumps(billed)}'))
    said = run("analyze", str(path)).stdout
    assert "so that its costs differ" in said and same not in said


def test_the_cache_table_as_csv_has_one_heading(run: Run, home: Path) -> None:
    claude(home, "one")
    lines = run("analyze", "--cache", "--csv").stdout.splitlines()
    assert [line for line in lines if line.startswith("policy,")] == lines[:1]
    assert {line.split(",")[0] for line in lines[1:]} == {"Without Prunus", "With Prunus"}


def test_since_also_counts_for_the_files_that_analyze_writes(run: Run, home: Path, tmp_path: Path) -> None:
    old, new = claude(home, "old"), claude(home, "new", model="claude-opus-4-6")
    for path, day in ((old, "2026-01-01"), (new, "2026-03-01")):
        dated = path.read_text().replace('"uuid":', f'"timestamp": "{day}T12:00:00Z", "uuid":')
        path.write_text(dated.replace("see to it", f"see to the {path.stem} one"))
    rows, page = tmp_path / "rows.jsonl", tmp_path / "page.html"
    result = run("analyze", "--since", "2026-02-01", "--json", str(rows), "--html", str(page))
    assert result.exit_code == 0
    assert [json.loads(line)["session"] for line in rows.read_text().splitlines()] == ["new"]
    assert "claude-opus-4-6" in page.read_text() and "claude-sonnet-4-5" not in page.read_text()
