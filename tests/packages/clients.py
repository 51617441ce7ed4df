"""Real clients with our packages in them, set up as the pages say."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.e2e.clients import Client, Start
from tests.e2e.clients.opencode import OpenCode
from tests.e2e.clients.pi import Pi

__all__ = ["OpenCodePlugin", "PiExtension", "stored_results"]

PAGES: Final = Path(__file__).parents[2] / "docs" / "integrations"


@dataclass(frozen=True)
class OpenCodePlugin(OpenCode):
    """OpenCode with the settings of the page, whose plugin is that in a folder."""

    folder: Path = Path()
    proxy: str = ""

    def command(self, start: Start) -> list[str]:
        command = super().command(start)
        shown = (PAGES / "opencode.json").read_text(encoding="utf-8")
        plugin = json.loads(shown.replace('"opencode-prunus"', json.dumps(self.folder.as_uri())))
        settings = start.project / "opencode.json"
        settings.write_text(json.dumps(json.loads(settings.read_text()) | plugin))
        return command

    def environment(self, start: Start) -> dict[str, str]:
        return super().environment(start) | asking(self.proxy)


@dataclass(frozen=True)
class PiExtension(Pi):
    """pi with the settings of the page, whose package is that in a folder."""

    folder: Path = Path()
    proxy: str = ""

    def command(self, start: Start) -> list[str]:
        command = super().command(start)
        shown = (PAGES / "pi.json").read_text(encoding="utf-8")
        settings = shown.replace('"npm:pi-prunus"', json.dumps(str(self.folder)))
        (start.home / ".pi" / "agent" / "settings.json").write_text(settings)
        return command

    def environment(self, start: Start) -> dict[str, str]:
        return super().environment(start) | asking(self.proxy)


def asking(proxy: str) -> dict[str, str]:
    """The variables by which a package finds the proxy, and waits for it however busy the machine is."""
    return {"PRUNUS_URL": proxy, "PRUNUS_TIMEOUT": "60000"}


def stored_results(client: Client, home: Path, project: Path) -> list[str]:
    """The results of tools in the session that a client has stored, without the name of the project's folder."""
    found = _opencode_results(home) if client.package == "opencode" else _pi_results(home)
    # Some results name a path without its first slash.
    return [text.replace(str(project).lstrip("/"), "") for text in found]


def _opencode_results(home: Path) -> Iterator[str]:
    with closing(sqlite3.connect(home / ".local" / "share" / "opencode" / "opencode.db")) as database:
        rows = database.execute("SELECT data FROM part ORDER BY id").fetchall()
    for part in (json.loads(data) for (data,) in rows):
        if part["type"] == "tool":
            yield part["state"].get("output") or part["state"].get("error") or ""


def _pi_results(home: Path) -> Iterator[str]:
    [session] = (home / ".pi" / "agent" / "sessions").rglob("*.jsonl")
    for line in session.read_text(encoding="utf-8").splitlines():
        message: dict[str, Any] = json.loads(line).get("message", {})
        if message.get("role") == "toolResult":
            yield "".join(block.get("text", "") for block in message["content"])
