"""Commands that expect a request also take a recorded session; they use its last request, or that of a turn."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from prunus.clients.sessions import load
from prunus.providers import encode
from prunus.pruner import prune
from tests.cli.test_analyze import claude

Run = Callable[..., Result]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Twenty requests, as Claude Code keeps them."""
    return claude(tmp_path, "talk")


def test_prune_takes_the_last_request_of_a_recorded_session(run: Run, recorded: Path) -> None:
    result = run("prune", str(recorded))
    assert result.exit_code == 0
    [session] = load(recorded)
    assert json.loads(result.stdout) == prune(session.body()).body
    assert " less)" in result.stderr


@pytest.mark.parametrize("command", ["prune", "explain"])
def test_a_turn_number_selects_the_request_that_the_turn_answers(
    run: Run, recorded: Path, command: str, tmp_path: Path
) -> None:
    [session] = load(recorded)
    request = tmp_path / "request.json"
    request.write_bytes(encode(session.body(6)))
    assert run(command, str(recorded), "--turn", "7").output == run(command, str(request)).output


def test_a_recorded_document_that_looks_like_a_request_is_read_as_a_session(run: Run, tmp_path: Path) -> None:
    plain, packed = tmp_path / "talk.json", tmp_path / "talk.json.gz"
    steps = [{"type": "user", "content": "Look at it."}]
    for n in range(12):
        call = {"id": f"c{n}", "name": "read_file", "args": {"file_path": "/a.py"}, "result": "value = 1\n" * 300}
        steps.append({"type": "gemini", "content": "", "model": "gemini-3-pro", "toolCalls": [call]})
    plain.write_text(json.dumps({"sessionId": "s", "messages": steps}))
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    pruned, [session] = run("prune", str(plain)), load(plain)
    assert json.loads(pruned.stdout) == prune(session.body()).body
    assert " less)" in pruned.stderr
    for command in ("prune", "explain"):
        assert run(command, str(plain)).output == run(command, str(packed)).output


def test_explain_takes_what_context_and_files_take(run: Run, recorded: Path) -> None:
    for command in ("explain", "context", "files", "changelog"):
        assert run(command, str(recorded)).exit_code == 0


@pytest.mark.parametrize("command", ["prune", "explain"])
def test_a_missing_turn_is_an_error(run: Run, recorded: Path, command: str) -> None:
    result = run(command, str(recorded), "--turn", "99")
    assert result.exit_code == 2
    assert "has 20 turns, not 99" in result.stderr
    assert run(command, "-", "--turn", "1", given=b"{}").exit_code == 2


def test_a_request_keeps_its_bytes_and_may_be_cut_at_a_turn(run: Run, file: str, session: bytes) -> None:
    assert run("prune", file).stdout_bytes == prune(session).body
    assert len(json.loads(run("prune", file, "--turn", "2").stdout)["messages"]) == 3


def test_prune_takes_the_last_of_several_sessions_or_a_named_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    lines = [json.loads(line) for line in claude(tmp_path, "talk").read_text().splitlines()]
    side = [{**line, "isSidechain": True, "uuid": f"s{line['uuid']}", "agentId": "x"} for line in lines[:7]]
    for line in side:
        line["parentUuid"] = line["parentUuid"] and f"s{line['parentUuid']}"
    path.write_text("\n".join(map(json.dumps, [*lines, *side])))
    first, last = load(path)
    newest = run("prune", str(path))
    assert json.loads(newest.stdout) == prune(last.body()).body
    assert "holds 2 sessions; this is the last (#1 for the first)" in newest.stderr
    assert json.loads(run("prune", f"{path}#1").stdout) == prune(first.body()).body


def test_a_file_that_is_neither_request_nor_session_is_an_error_with_position(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"a": 1}\nnot a session')
    result = run("prune", str(path))
    assert result.exit_code == 2
    assert f"{path}:" in result.stderr


@pytest.mark.parametrize("form", ["mark", "gzip"])
def test_a_request_behind_a_mark_or_a_packer_keeps_its_fields(
    run: Run, file: str, session: bytes, form: str
) -> None:
    """Read as a recording, the request would lose the fields that no recording has, such as `stream`."""
    body = session.replace(b"{", b'{"stream": true, ', 1)
    Path(file).write_bytes(b"\xef\xbb\xbf" + body if form == "mark" else gzip.compress(body))
    assert run("prune", file).stdout_bytes == prune(body).body
    assert run("prune", "-", given=b"\xef\xbb\xbf" + body).stdout_bytes == prune(body).body


def test_a_request_with_a_key_twice_is_no_recording(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    messages = '"messages": [{"role": "user", "content": "a"}]'
    path.write_text(f"{{{messages}, {messages}}}")
    for command in ("prune", "explain", "context"):
        result = run(command, str(path))
        assert result.exit_code == 2 and "a key stands twice" in result.stderr


def test_a_recording_may_be_larger_than_a_request(run: Run, recorded: Path) -> None:
    limit = recorded.stat().st_size - 1
    assert run("prune", str(recorded), "--set", f"limits.body={limit}").exit_code == 0


def test_a_damaged_packed_file_says_so(run: Run, file: str, session: bytes) -> None:
    Path(file).write_bytes(gzip.compress(session)[:-20])
    result = run("prune", file)
    assert result.exit_code == 2 and "cannot be unpacked" in result.stderr
