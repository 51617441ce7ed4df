import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import Result

Run = Callable[..., Result]
Spawn = Callable[..., "subprocess.Popen[bytes]"]


def test_piped_output_is_one_plain_line_per_part(run: Run, file: str) -> None:
    lines = run("explain", file).stdout.splitlines()
    assert lines[0].split() == [
        "part",
        "role",
        "turn",
        "kind",
        "what",
        "tokens",
        "priority",
        "guide",
        "fate",
        "why",
    ]
    [row] = [line for line in lines if line.startswith("2.0 ")]
    assert "read of /srv/app/greet.py" in row
    assert "stale_reads: the file was written later" in row


def test_columns_are_aligned(run: Run, file: str) -> None:
    lines = run("explain", file, "--all").stdout.splitlines()
    at = lines[0].index("priority")
    table = lines[1 : lines.index("")]
    marks = {"critical": "🔴", "important": "🟡", "ephemeral": "🟢", "temporary": "⚫"}
    assert {tuple(line[at:].split()[:2]) for line in table} <= {(mark, name) for name, mark in marks.items()}


def test_each_part_has_the_action_of_the_content_type_guide(run: Run, file: str) -> None:
    parts = json.loads(run("explain", file, "--json").stdout)
    assert {part["guide"]["action"] for part in parts} <= {"keep", "discard", "distill", "auto"}
    lines = run("explain", file, "--all").stdout
    assert "auto-pruned: superseded" in lines and "keep: user instructions" in lines


def test_all_shows_every_part(run: Run, file: str) -> None:
    parts = json.loads(run("explain", file, "--json").stdout)
    lines = run("explain", file, "--all").stdout.splitlines()
    assert lines.index("") - 1 == len(parts)
    assert lines[-1].startswith(f"{len(parts)} parts, ")


def test_escape_sequences_do_not_reach_the_terminal(run: Run, file: str) -> None:
    shown = run("explain", file, "--all").stdout
    assert "grüße aus Wien" in shown
    assert "\x1b" not in shown


def test_standard_input_is_read(run: Run, session: bytes, file: str) -> None:
    assert run("explain", "-", given=session).stdout == run("explain", file).stdout


def test_settings_of_this_run_have_effect(run: Run, file: str) -> None:
    shown = run("explain", file, "--preset", "off").stdout
    assert " 0 pruned" in shown
    assert "stale_reads" not in shown


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_terminal_gets_colour_unless_refused(file: str, no_color: str) -> None:
    import pty

    main, side = pty.openpty()
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "NO_COLOR": no_color,
        "TERM": "xterm-256color",
        "COLUMNS": "160",
    }
    command = [sys.executable, "-m", "prunus", "explain", file]
    with subprocess.Popen(command, stdout=side, stderr=side, env=environment) as process:
        os.close(side)
        shown = b""
        while True:
            try:
                more = os.read(main, 65536)
            except OSError:
                break
            if not more:
                break
            shown += more
    os.close(main)
    assert process.returncode == 0
    assert (b"\x1b[32m" in shown) is not bool(no_color)
    assert (b"\x1b[" in shown) is not bool(no_color)


def test_a_reader_that_leaves_early_sees_no_traceback(spawn: Spawn, file: str) -> None:
    with spawn("explain", file, "--all") as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
