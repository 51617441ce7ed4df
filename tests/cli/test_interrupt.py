"""Ctrl-C reaches every process of the terminal's group; the command prints one line and ends all its processes."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.lab.talk import chat_messages, reads

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes and no process groups")

COMMANDS = (
    ("prune", "PIPE"),
    ("explain", "PIPE"),
    ("context", "PIPE"),
    ("files", "PIPE"),
    ("file-at", "PIPE", "a.py"),
    ("changelog", "PIPE"),
)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A pipe without a writer: a command that reads it waits until it is interrupted."""
    path = tmp_path / "talk.json"
    os.mkfifo(path)
    return path


def started(args: list[str], folder: Path) -> "subprocess.Popen[str]":
    """Start a command in a group of its own, as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-m", "prunus", *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # Whoever runs the tests in the background may have them ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "TMPDIR": str(folder),
        },
    )


def interrupted(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Interrupt the process group, and return the exit code and standard error."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        # A signal just before a read of a pipe is only noticed once the read ends: the user presses Ctrl-C again.
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
    assert out == ""
    return process.returncode, err


@pytest.mark.parametrize("args", COMMANDS, ids=lambda args: args[0])
def test_an_interrupted_command_says_one_line_and_ends_with_130(
    args: tuple[str, ...], pipe: Path, tmp_path: Path
) -> None:
    process = started([str(pipe) if arg == "PIPE" else arg for arg in args], tmp_path)
    handle = os.open(pipe, os.O_WRONLY)  # waits until the command reads
    code, err = interrupted(process)
    os.close(handle)
    assert code == 130
    assert err.startswith("Interrupted")
    assert err.count("\n") == 1


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("args", [("analyze",), ("replay", "--policy", "clairvoyant")], ids=lambda args: args[0])
def test_an_interrupt_ends_the_workers_and_reports_lost_work(
    args: tuple[str, ...], count: int, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{number}.json" for number in range(count)]
    for number, path in enumerate(paths):
        # Far more work than is done by the time that the workers are seen to count.
        path.write_text(json.dumps(chat_messages(reads(1_000 + number))))
    process = started([*args, *map(str, paths)], tmp_path)
    while not all(_counted(tmp_path, count)):
        assert process.poll() is None
        time.sleep(0.01)
    code, err = interrupted(process)
    # On a busy machine it has said before how far it is.
    assert (code, err.splitlines()[-1]) == (
        130,
        f"Interrupted: 0 of {count} files were measured, and what they gave is lost.",
    )
    with pytest.raises(ProcessLookupError):
        while True:
            os.killpg(process.pid, 0)
            time.sleep(0.01)


def _counted(folder: Path, count: int) -> list[int]:
    """The requests that the workers have replayed so far in each file."""
    found = [path.read_bytes() for path in folder.glob("prunus-*/counts")]
    # The file may be seen before it is written.
    cells = f"{2 * count}q"
    whole = [one for one in found if len(one) == struct.calcsize(cells)]
    return [0] if not whole else list(struct.unpack(cells, whole[0])[1::2])
