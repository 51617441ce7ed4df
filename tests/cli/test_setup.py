"""`prunus setup` shows a change, asks, makes it, and takes it back."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prunus.cli import main

Run = Callable[..., Result]
URL = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of its own, in which no agent is configured."""
    path = tmp_path / "home"
    path.mkdir()
    # A port on which nothing listens, whatever runs on this machine.
    Path("prunus.toml").write_text("[proxy]\nport = 9\n")
    monkeypatch.setenv("HOME", str(path))
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return path


def answer(*args: str, says: str) -> Result:
    return CliRunner().invoke(main, ["setup", *args], input=says, catch_exceptions=False)


def test_the_list_names_every_agent_and_its_state(run: Run, home: Path) -> None:
    run("setup", "codex", "--yes")
    shown = run("setup").stdout
    assert "only by prunus run aider" in shown
    states = {line.split()[0]: line for line in shown.splitlines()}
    assert f"behind Prunus ({URL})" in states["codex"] and "not set up" in states["claude"]
    assert "No proxy listens on" in shown


def test_the_change_is_shown_and_made_only_with_consent(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    refused = answer("claude", says="n\n")
    assert f'+    "ANTHROPIC_BASE_URL": "{URL}/@anthropic"' in refused.stdout
    assert "Nothing was changed." in refused.stdout and not path.exists()
    assert f"claude now sends its requests to {URL}" in answer("claude", says="y\n").stdout
    assert path.exists()
    assert "already" in answer("claude", says="").stdout
    assert "claude is as it was" in answer("claude", "--undo", says="\n").stdout
    assert not path.exists()
    assert "nothing to undo" in answer("claude", "--undo", says="").stdout


def test_the_port_of_the_settings_counts(run: Run, home: Path) -> None:
    Path("prunus.toml").write_text("[proxy]\nport = 4444\n")
    run("setup", "codex", "--yes")
    assert "http://127.0.0.1:4444/@openai/v1" in (home / ".codex" / "config.toml").read_text()


@pytest.mark.parametrize(
    ("args", "settings", "says"),
    [
        (
            ["emacs"],
            "",
            "emacs is not an agent that Prunus knows: choose claude, codex, opencode",
        ),
        (["aider"], "", "aider has no settings file that Prunus can change"),
        (["--undo"], "", "name the agent"),
        (["claude", "--service"], "", "leave out the name"),
        (["claude"], "[proxy]\nport = 0\n", "set a port"),
        (["claude"], '[proxy]\ntoken = "t"\n', "proxy.token is set"),
    ],
)
def test_setup_says_why_an_agent_cannot_be_set_up(run: Run, args: list[str], settings: str, says: str) -> None:
    Path("prunus.toml").write_text(settings)
    result = run("setup", *args, "--yes")
    assert result.exit_code == 2
    assert says in result.output


def test_a_damaged_file_is_named(run: Run, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{\n  "env": }\n')
    result = run("setup", "claude", "--yes")
    assert result.exit_code == 2
    assert "settings.json cannot be" in result.output and "line 2" in result.output


def test_settings_that_come_first_are_named(run: Run, home: Path) -> None:
    Path(".claude").mkdir()
    Path(".claude/settings.json").write_text('{"env": {"ANTHROPIC_BASE_URL": "https://gw.example/x"}}')
    result = run("setup", "claude", "--yes")
    assert "requests still go to https://gw.example: settings of this folder" in result.output
    Path(".claude/settings.json").unlink()
    assert "still go" not in run("setup", "claude", "--yes").output


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the unit is for Linux")
def test_the_service_is_written_shown_and_removed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "user" / "systemd" / "user" / "prunus.service"
    result = run("setup", "--service", "--yes")
    assert "+ExecStart=" in result.stdout and "systemctl --user enable --now prunus" in result.stdout
    assert path.exists()
    if shutil.which("systemd-analyze"):
        checked = subprocess.run(["systemd-analyze", "verify", "--user", str(path)], capture_output=True, text=True)
        assert "prunus.service" not in checked.stderr, checked.stderr
    assert "nothing to change" in run("setup", "--service", "--yes").stdout
    assert "disable --now" in run("setup", "--service", "--undo", "--yes").stdout
    assert not path.exists()
