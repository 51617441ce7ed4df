"""The npm packages of the project: what their tests need, and what users would get."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Final

__all__ = ["NAMES", "PACKAGES", "NodeMissing", "install_packages", "pack"]

PACKAGES: Final = Path(__file__).parents[2] / "packages"
NAMES: Final = ("ai-sdk-prunus", "opencode-prunus", "pi-prunus")
OLDEST: Final = 20
QUIET: Final = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
MINUTES: Final = 10


class NodeMissing(Exception):
    """Node is not here, or too old."""


def install_packages() -> str:
    """Install what the tests of the packages need, unless it is there; returns the path of Node."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        raise NodeMissing(f"the packages need Node {OLDEST} or newer, with npm: not on the PATH")
    said = _run([node, "--version"])
    if int(re.match(r"v(\d+)", said)[1]) < OLDEST:  # type: ignore[index]
        raise NodeMissing(f"the packages need Node {OLDEST} or newer: this is {said.strip()}")
    wanted, done = PACKAGES / "package-lock.json", PACKAGES / "node_modules" / ".package-lock.json"
    if not done.exists() or done.stat().st_mtime < wanted.stat().st_mtime:
        _run([npm, "ci", *QUIET, "--prefix", str(PACKAGES)])
        done.touch()
    return node


def pack(folder: Path) -> dict[str, Path]:
    """Pack the npm packages into a folder and unpack them again."""
    places: dict[str, Path] = {}
    for name in NAMES:
        [made] = json.loads(_run(["npm", "pack", "--json", "--pack-destination", str(folder)], PACKAGES / name))
        with tarfile.open(folder / made["filename"]) as archive:
            archive.extractall(folder / name, filter="data")
        places[name] = folder / name / "package"
    return places


def _run(command: list[str], folder: Path = PACKAGES) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=MINUTES * 60)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr or done.stdout}"
    return done.stdout
