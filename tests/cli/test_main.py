import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from prunus.cli.main import main

Run = Callable[..., Result]
Spawn = Callable[..., "subprocess.Popen[bytes]"]


def test_help_lists_every_command_with_its_first_docstring_line(run: Run) -> None:
    listed = run("--help").stdout
    for name in main.list_commands(main.make_context("prunus", ["demo"])):
        words = run(name, "--help").stdout.splitlines()
        assert any(line.split(maxsplit=1) == [name, words[2].strip()] for line in listed.splitlines())


@pytest.mark.parametrize(
    "command",
    [
        "demo",
        "prune",
        "explain",
        "strategies",
        "replay",
        "analyze",
        "config",
        "config show",
        "config check",
        "config init",
        "config schema",
    ],
)
def test_every_command_has_an_example(run: Run, command: str) -> None:
    assert f"  prunus {command}" in run(*command.split(), "--help").stdout


def test_version_is_one_line(run: Run) -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("prunus")
    assert result.stdout.count("\n") == 1


@pytest.mark.parametrize("module", ["prunus", "prunus.cli"])
def test_both_modules_are_the_program(module: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", module, "prune", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.startswith("Usage: prunus prune ")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from prunus.cli import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert not {"pydantic", "rich", "prunus.engine"} & set(done.stdout.splitlines()[-1].split())


def test_an_unknown_command_is_an_error(run: Run) -> None:
    result = run("prun")
    assert result.exit_code == 2
    assert "No such command 'prun'. Did you mean prune" in result.stderr
    assert "Did you mean" not in run("xyz").stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
@pytest.mark.parametrize("command", ["demo", "--help"])
def test_a_full_disk_is_an_error_of_one_line(command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run([sys.executable, "-m", "prunus", command], stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode == 1
    assert ended.stderr == b"Error: standard output: cannot be written: no space left on device\n"


def test_a_closed_output_is_no_fault() -> None:
    command = f"{shlex.quote(sys.executable)} -m prunus demo >&-"
    ended = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv, to be refused even as root")
@pytest.mark.parametrize(
    "command",
    ["context {}", "analyze {}", "report {}.jsonl", "config check {}.toml", "stats --store sqlite:///{}.db"],
)
def test_a_closed_folder_is_an_error_of_one_line(tmp_path: Path, command: str) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    powers = "-dac_override,-dac_read_search"
    words = ["setpriv", f"--bounding-set={powers}", f"--inh-caps={powers}"] if os.geteuid() == 0 else []
    words += [sys.executable, "-m", "prunus", *command.format(closed / "x").split()]
    ended = subprocess.run(words, capture_output=True, text=True)
    closed.chmod(0o700)
    assert ended.returncode == 2
    assert "permission denied" in ended.stderr and "Traceback" not in ended.stderr
