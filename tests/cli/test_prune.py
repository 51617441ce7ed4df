import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from prunus.pruner import prune

Run = Callable[..., Result]
Spawn = Callable[..., "subprocess.Popen[bytes]"]


def test_a_file_comes_out_as_the_library_prunes_it(run: Run, file: str, session: bytes) -> None:
    result = run("prune", file)
    assert result.exit_code == 0
    assert result.stdout_bytes == prune(session).body != session


def test_standard_input_and_output_are_byte_exact(spawn: Spawn, session: bytes) -> None:
    out, err = spawn("prune", "-", "--preset", "off", "--report", "none").communicate(session)
    assert (out, err) == (session, b"")


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n \n"])
def test_no_newline_is_added_or_lost(run: Run, session: bytes, end: bytes) -> None:
    assert run("prune", "-", given=session + end).stdout_bytes == prune(session + end).body


def test_the_report_goes_to_standard_error(run: Run, file: str) -> None:
    result = run("prune", file)
    assert "Strategy Effectiveness:" in result.stderr
    assert "Strategy" not in result.stdout


def test_the_json_report_is_json(run: Run, file: str) -> None:
    report = json.loads(run("prune", file, "--report", "json").stderr)
    assert report["tokens_before"] > report["tokens_after"]
    assert {edit["strategy"] for edit in report["edits"]} >= {"stale_reads"}


def test_report_none_prints_nothing(run: Run, file: str) -> None:
    assert run("prune", file, "--report", "none").stderr == ""


def test_detailed_notification_names_tools(run: Run, file: str) -> None:
    result = run("prune", file, "--set", "notification=detailed")
    assert result.stderr.splitlines()[0].endswith("」 - Read, Bash")


def test_settings_of_this_run_have_effect(run: Run, file: str, session: bytes) -> None:
    result = run("prune", file, "--set", "strategies.stale_reads.enabled=false", "--report", "json")
    assert "stale_reads" not in json.loads(result.stderr)["strategies"]
    assert run("prune", file, "--preset", "off").stdout_bytes == session


def test_options_override_a_settings_file(run: Run, file: str, session: bytes) -> None:
    Path("mine.toml").write_text('preset = "off"\n')
    assert run("prune", file, "--config", "mine.toml").stdout_bytes == session
    assert run("prune", file, "--config", "mine.toml", "--preset", "auto").stdout_bytes != session
    kept = run("prune", file, "--config", "mine.toml", "--set", "strategies.stale_reads.enabled=true")
    assert kept.stdout_bytes != session


def test_settings_are_found_from_here_upward(run: Run, file: str, session: bytes) -> None:
    Path("prunus.toml").write_text("enabled = false\n")
    assert run("prune", file).stdout_bytes == session


def test_output_goes_to_a_file_whole(run: Run, file: str, session: bytes) -> None:
    result = run("prune", file, "-o", "out.json")
    assert result.stdout == ""
    assert Path("out.json").read_bytes() == prune(session).body
    assert sorted(path.name for path in Path().iterdir()) == [".git", "out.json"]


def test_a_request_may_be_pruned_in_place(run: Run, file: str, session: bytes) -> None:
    Path(file).chmod(0o640)
    run("prune", file, "-o", file)
    assert Path(file).read_bytes() == prune(session).body
    assert Path(file).stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(run: Run, file: str, session: bytes) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run("prune", file, "-o", "pipe").exit_code == 0
    assert os.read(reader, 65536) == prune(session).body
    os.close(reader)
    assert Path("pipe").is_fifo()


def test_a_link_keeps_pointing_to_its_file(run: Run, file: str, session: bytes) -> None:
    Path("real.json").write_text("old")
    Path("link.json").symlink_to("real.json")
    run("prune", file, "-o", "link.json")
    assert Path("link.json").is_symlink()
    assert Path("real.json").read_bytes() == prune(session).body


BAD = {
    "empty": (b" \n", "standard input: is empty"),
    "not json": (b"hello", "not JSON"),
    "broken": (b'{\n "messages": [}', "standard input:2:15: not JSON"),
    "cut off": (b'{"messages": [{"role": "user"', "not JSON"),
    "unknown": (b'{"a": 1}', "no known format"),
    "not a list": (b'{"messages": 3}', "messages is not a list"),
    "not utf-8": (b'{"messages":[{"role":"user","content":"\xff"}]}', "standard input:1:40: not UTF-8"),
    "too deep": (b'{"messages":[{"role":"user","content":' + b"[" * 100_000 + b"]" * 100_000 + b"}]}", "too deep"),
    "not objects": (b'{"messages":[1, 2]}', "not an object"),
}


@pytest.mark.parametrize("command", ["prune", "explain"])
@pytest.mark.parametrize("bad", BAD)
def test_a_bad_body_says_what_is_wrong_and_writes_nothing(run: Run, command: str, bad: str) -> None:
    body, words = BAD[bad]
    result = run(command, "-", given=body)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


def test_the_json_report_holds_the_error(run: Run) -> None:
    result = run("prune", "-", "--report", "json", given=b"hello")
    assert (result.exit_code, result.stdout) == (2, "")
    assert json.loads(result.stderr)["error"].startswith("standard input: not JSON")


def test_a_bad_body_leaves_the_output_file_alone(run: Run) -> None:
    Path("out.json").write_text("precious")
    assert run("prune", "-", "-o", "out.json", given=b"hello").exit_code == 2
    assert Path("out.json").read_text() == "precious"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nowhere.json"], "nowhere.json: no such file or directory"),
        (["."], ".: is a directory"),
        (["{file}", "--set", "limits.body=100"], "more than 100 bytes"),
        (["{file}", "--format", "morse"], "no format 'morse'"),
        (["{file}", "-o", "nowhere/out.json"], "nowhere/out.json: no such file or directory"),
        (["{file}", "--config", "nowhere.toml"], "nowhere.toml: no such file or directory"),
    ],
)
def test_prune_names_invalid_options_and_files(run: Run, file: str, args: list[str], words: str) -> None:
    result = run("prune", *(arg.format(file=file) for arg in args))
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


def test_all_problems_of_the_settings_are_listed(run: Run, file: str) -> None:
    result = run("prune", file, "--preset", "nope", "--set", "notification=loud", "--set", "nonsense")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "3 problems" in result.stderr
    assert all(word in result.stderr for word in ("nope", "loud", "nonsense"))


def test_prune_leaves_provider_held_history_unchanged(run: Run) -> None:
    body = b'{"model": "gpt-5", "input": [{"role": "user", "content": "hi"}], "previous_response_id": "r1"}'
    result = run("prune", "-", given=body)
    assert result.stdout_bytes == body
    assert "previous_response_id" in result.stderr


def test_a_reader_that_leaves_early_sees_no_traceback(spawn: Spawn, file: str, session: bytes) -> None:
    Path(file).write_bytes(session[:-1] + b" " * 1_000_000 + b"}")
    with spawn("prune", file, "--report", "none") as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.read(10) == session[:10]
        process.stdout.close()
        assert process.stderr.read() == b""
