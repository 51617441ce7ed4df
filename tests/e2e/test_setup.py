"""Real clients that `prunus setup` keeps behind the proxy, and that are started as ever."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from prunus.store.url import open_store
from tests.e2e import story
from tests.e2e.clients import CLIENTS, Client, Start, asked_for
from tests.e2e.install import NotInstalled, install
from tests.e2e.proxy import Proxy
from tests.e2e.session import play
from tests.upstream import Upstream

pytestmark = pytest.mark.e2e


@dataclass(frozen=True, slots=True)
class Kept:
    """A client whose base URL comes from its settings file alone, after `prunus setup`."""

    inner: Client
    proxy: Proxy
    resumes: bool = False
    compacts: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def package(self) -> str:
        return self.inner.package

    @property
    def upstream(self) -> str:
        return self.inner.upstream

    def command(self, start: Start) -> list[str]:
        command = self.inner.command(start)
        written = start.project / "opencode.json"
        if written.exists():
            user = start.home / ".config" / "opencode"
            user.mkdir(parents=True)
            written.rename(user / written.name)
        prunus_setup(self.package, start.home)
        self.proxy.start()
        return command

    def environment(self, start: Start) -> dict[str, str]:
        given = self.inner.environment(start)
        return {name: value for name, value in given.items() if not name.endswith(("_BASE_URL", "_API_BASE"))}

    def answer(self, start: Start, output: str) -> str:
        return self.inner.answer(start, output)


def prunus_setup(program: str, home: Path, *options: str) -> str:
    """Run the command as a user of this home does, and return what it prints."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("PRUNUS_", "XDG_"))}
    command = [sys.executable, "-m", "prunus", "setup", program, "--yes", *options]
    done = subprocess.run(command, cwd=home, env=keep | {"HOME": str(home)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files(home: Path) -> dict[Path, bytes]:
    """The settings that `prunus setup` may change."""
    names = (
        ".claude/settings.json", ".codex/config.toml", ".config/opencode/opencode.json", ".gemini/.env",
        ".pi/agent/models.json", ".config/mini-swe-agent/.env", ".config/prunus/prunus.toml",
    )  # fmt: skip
    return {home / name: (home / name).read_bytes() for name in names if (home / name).exists()}


@pytest.mark.parametrize("name", asked_for())
def test_a_client_stays_behind_the_proxy_until_undo(name: str, tmp_path: Path) -> None:
    client = CLIENTS[name]
    try:
        install(client.package)
    except NotInstalled as reason:
        pytest.skip(f"{name} cannot be installed: {reason}")
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home / ".config" / "prunus", project):
        folder.mkdir(parents=True)
    story.lay_out(project)
    with Upstream(story.script(project)) as up:
        proxy = Proxy(up.url, home, "--agent", "off")
        port = proxy.url.rpartition(":")[2]
        (home / ".config" / "prunus" / "prunus.toml").write_text(f"[proxy]\nport = {port}\n")
        try:
            [ended] = play(Kept(client, proxy), up.url, story.PROMPTS, home, project)
        finally:
            proxy.stop()
    assert (ended.code, ended.answer) == (0, story.ANSWERS[0]), f"{ended}\n{proxy.log.read_text()}"
    store = open_store(proxy.store, existing=True)
    try:
        seen = sum(len(store.exchanges("", session.id)) for session in store.sessions(""))
    finally:
        store.close()
    assert seen >= sum(request.step >= 0 for request in up.requests) > 5
    prunus_setup(client.package, home, "--undo")
    assert [path for path, text in files(home).items() if b"/@" in text] == []
    assert b"=http" not in files(home)[home / ".config" / "prunus" / "prunus.toml"]
