"""Real clients at pinned versions, installed under a cache folder and kept there.

`python -m tests.e2e.install claude codex` installs the named clients (all of them without a name) and prints where
each one is. The folder is `$PRUNUS_CLIENTS`, or `prunus-clients` in the user's cache directory. A client is
installed beside its place and moved there when it is whole, so a broken download leaves nothing behind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

__all__ = ["PACKAGES", "NotInstalled", "Package", "cache_folder", "install"]

MINUTES = 10


class NotInstalled(Exception):
    """A client that could not be installed here, with the reason."""


@dataclass(frozen=True, slots=True)
class Package:
    """One client: what to install, at which version, and which file runs it."""

    name: str
    kind: str
    """npm or pip."""
    requirements: tuple[str, ...]
    program: str
    """The file that runs it, inside its folder."""
    needs_node: bool = False
    """Whether it runs on Node 22, which is installed beside it."""

    @property
    def folder(self) -> str:
        """The name of its folder, which changes with what is installed."""
        version = self.requirements[0].rpartition("@" if self.kind == "npm" else "==")[2]
        return f"{self.name}-{version}"


# npm quietly picks an older release when the newest one wants another Node, so every version is pinned.
PACKAGES = {
    package.name: package
    for package in (
        Package("node", "npm", ("node@22.23.3",), "node_modules/node/bin/node"),
        Package("claude", "npm", ("@anthropic-ai/claude-code@2.1.327",), "node_modules/.bin/claude"),
        Package("codex", "npm", ("@openai/codex@0.169.0",), "node_modules/.bin/codex"),
        Package("opencode", "npm", ("opencode-ai@1.18.33",), "node_modules/.bin/opencode"),
        Package("gemini", "npm", ("@google/gemini-cli@0.61.0",), "node_modules/.bin/gemini", needs_node=True),
        Package("pi", "npm", ("@earendil-works/pi-coding-agent@0.87.1",), "node_modules/.bin/pi", needs_node=True),
        Package(
            "opencode-plugin",
            "npm",
            ("@opencode-ai/plugin@1.18.33",),
            "node_modules/@opencode-ai/plugin/dist/index.d.ts",
        ),
        Package(
            "codex-sdk",
            "npm",
            ("@openai/codex-sdk@0.163.0",),
            "node_modules/@openai/codex-sdk/dist/index.js",
        ),
        Package("claude-agent-sdk", "pip", ("claude-agent-sdk==0.2.184",), "venv/bin/python"),
        Package("mini", "pip", ("mini-swe-agent==2.4.6", "mcp"), "venv/bin/python"),
    )
}


def cache_folder() -> Path:
    """Where clients are kept between runs."""
    named = os.environ.get("PRUNUS_CLIENTS")
    return Path(named) if named else platformdirs.user_cache_path("prunus-clients", appauthor=False)


_failed: dict[Path, NotInstalled] = {}
"""Where a client could not be installed: trying again for each test would take minutes."""


def install(name: str) -> Path:
    """The program of a client, installed now if it is not there yet."""
    package = PACKAGES[name]
    place = cache_folder() / package.folder
    if place in _failed:
        raise _failed[place]
    try:
        return _installed(package, place)
    except NotInstalled as error:
        _failed[place] = error
        raise


def _installed(package: Package, place: Path) -> Path:
    program = place / package.program
    if not program.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{package.folder}-", dir=place.parent))
        try:
            for command in _commands(package, work):
                _run(command, work)
            if not (work / package.program).exists():
                raise NotInstalled(f"{package.requirements[0]} installed without {package.program}")
            shutil.rmtree(place, ignore_errors=True)
            work.rename(place)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    if package.needs_node:
        install("node")
    return program


def node_folder() -> Path:
    """The folder that puts Node 22 first when it leads the PATH."""
    return (cache_folder() / PACKAGES["node"].folder / PACKAGES["node"].program).parent


def _commands(package: Package, work: Path) -> Iterator[list[str]]:
    if package.kind == "npm":
        if not shutil.which("npm"):
            raise NotInstalled(f"{package.name} needs npm")
        quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
        yield ["npm", "install", *quiet, "--prefix", str(work), *package.requirements]
        return
    venv = work / "venv"
    if uv := shutil.which("uv"):
        # A venv is moved once it is whole, so its scripts must not name the folder it was made in.
        yield [uv, "venv", "--quiet", "--relocatable", str(venv)]
        yield [uv, "pip", "install", "--quiet", "--python", str(venv / "bin/python"), *package.requirements]
        return
    yield [sys.executable, "-m", "venv", str(venv)]
    yield [str(venv / "bin/python"), "-m", "pip", "install", "--quiet", *package.requirements]


def _run(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=MINUTES * 60)
    except subprocess.TimeoutExpired as late:
        raise NotInstalled(f"{' '.join(command[:2])} took more than {MINUTES} minutes") from late
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise NotInstalled(f"{' '.join(command[:2])} ended with {done.returncode}: {last}")


def main(names: list[str]) -> int:
    """Install the named clients and say where they are; 1 when one of them failed."""
    unknown = sorted(set(names) - set(PACKAGES))
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(PACKAGES)}", file=sys.stderr)
        return 2
    failed = 0
    for name in names or PACKAGES:
        try:
            print(f"{name}: {install(name)}", flush=True)
        except NotInstalled as reason:
            failed = 1
            print(f"{name}: not installed: {reason}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
