"""Claude Code with our plugin, installed from its folder, behind a proxy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from prunus.requested.commands import COMMANDS
from tests.e2e import story
from tests.e2e.clients import Start
from tests.e2e.clients.claude import Claude
from tests.e2e.install import NotInstalled, install
from tests.e2e.proxy import Proxy
from tests.e2e.session import play
from tests.e2e.stage import Played
from tests.packages.npm import PACKAGES
from tests.upstream import Script, Step, Upstream

pytestmark = pytest.mark.packages

PLUGIN = PACKAGES / "claude-code-plugin"
TOOL = "mcp__plugin_prunus_prunus__context_prune"


@dataclass(frozen=True)
class ClaudeWithPlugin(Claude):
    """Claude Code whose plugins find the `prunus` of this environment."""

    def environment(self, start: Start) -> dict[str, str]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        # The client waits for the server of the plugin, by default for five seconds.
        return super().environment(start) | {"PATH": path, "MCP_CONNECT_TIMEOUT_MS": "60000"}


@pytest.fixture(scope="module")
def claude() -> Path:
    try:
        return install("claude")
    except NotInstalled as reason:
        pytest.skip(f"claude cannot be installed: {reason}")


@pytest.fixture
def home(claude: Path, tmp_path: Path) -> Path:
    """The home of a user who has installed the plugin."""
    folder = tmp_path / "home"
    folder.mkdir()
    for words in (("marketplace", "add", str(PLUGIN)), ("install", "prunus@prunus")):
        run_plugin_command(claude, folder, *words)
    return folder


def run_plugin_command(claude: Path, home: Path, *words: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "DISABLE_AUTOUPDATER": "1"}
    done = subprocess.run([str(claude), "plugin", *words], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def behind_proxy(prompts: tuple[str, ...], home: Path, folder: Path, script: Script | None = None) -> Played:
    """A session of Claude Code with the plugin behind a proxy."""
    project = folder / "project"
    project.mkdir()
    story.lay_out(project)
    with Upstream(script or story.script(project)) as up, Proxy(up.url, folder, "--agent", "mcp") as proxy:
        ended = play(ClaudeWithPlugin(), proxy.url, prompts, home, project)
    return Played(ended, up, store=proxy.store, log=proxy.log.read_text())


def test_plugin_is_valid(claude: Path, tmp_path: Path) -> None:
    run_plugin_command(claude, tmp_path, "validate", "--strict", str(PLUGIN))


def test_plugin_has_every_command() -> None:
    files = {path.stem for path in (PLUGIN / "commands").glob("*.md")}
    assert files == {name.split()[0] for name in COMMANDS}


def test_model_prunes_by_the_tool_of_the_plugin(home: Path, tmp_path: Path) -> None:
    played = behind_proxy(story.PROMPTS, home, tmp_path)
    assert played.result == (0, story.ANSWERS), played.told
    assert story.ends_well(played.files)
    assert played.up.problems == []
    steps = played.by_step()
    assert all(TOOL in request.tools for request in steps.values()), played.told
    assert story.NOTE in steps[story.DISCARD].bytes.decode()
    assert story.NOTE not in steps[story.RESTORE - 1].bytes.decode()


def test_commands_of_the_plugin_are_answered_without_the_model(home: Path, tmp_path: Path) -> None:
    script = Script((Step(text="Hello."), Step(text="Good bye.")), root=str(tmp_path / "project"))
    prompts = ("Hi.", "/prunus:stats", "/prunus:manual on", "/prunus:help", "Bye.")
    played = behind_proxy(prompts, home, tmp_path, script)
    code, answers = played.result
    assert code == 0, played.told
    assert (answers[0], answers[-1]) == ("Hello.", "Good bye.")
    assert answers[1].startswith("[Prunus] ") and "tokens in this conversation" in answers[1]
    assert (
        answers[2] == "[Prunus] Manual mode is on: from now on nothing is cut unless you or the agent ask for it."
    )
    assert all(name.split()[0] in answers[3] for name in COMMANDS)
    # The model sees neither the commands nor their answers.
    assert len(played.by_step()) == 2
    for request in played.up.requests:
        said = json.dumps(request.body["messages"])
        assert "/prunus" not in said and "[Prunus]" not in said


def test_commands_without_a_proxy_tell_the_model_what_is_missing(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    with Upstream(Script((Step(text="Prunus is not here."),), root=str(project))) as up:
        ended = play(ClaudeWithPlugin(), up.url, ("/prunus:stats",), home, project)
    assert [one.answer for one in ended] == ["Prunus is not here."]
    assert "prunus run --agent mcp claude" in up.requests[-1].bytes.decode()
