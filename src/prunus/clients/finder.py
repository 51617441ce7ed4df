"""Where agents keep their sessions on this machine, and the files that are there.

SWE-agent writes beside its own code, so it is found only where a variable says where.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import escape
from pathlib import Path
from stat import S_ISREG

from prunus.clients.claude_code import sessions as claude_code
from prunus.clients.codex import sessions as codex
from prunus.clients.copilot_cli import sessions as copilot_cli
from prunus.clients.gemini_cli import sessions as gemini_cli
from prunus.clients.mini_swe_agent import sessions as mini_swe_agent
from prunus.clients.opencode import sessions as opencode
from prunus.clients.openhands import sessions as openhands
from prunus.clients.openhands_sdk import sessions as openhands_sdk
from prunus.clients.pi import sessions as pi
from prunus.clients.qwen_code import sessions as qwen_code
from prunus.clients.split import FIRST_EVENTS
from prunus.clients.swe_agent import sessions as swe_agent


@dataclass(frozen=True, slots=True)
class Found:
    """A file of recorded sessions."""

    agent: str
    """Name of the agent's loader."""
    path: Path
    modified: float
    """Unix time of the last change."""
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of one agent, and the patterns of the files in it; `**` is any depth."""

    agent: str
    folder: Path
    patterns: tuple[str, ...]


def find(home: Path | None = None, env: Mapping[str, str] | None = None) -> Iterator[Found]:
    """Every session file of every agent we know, newest first.

    Without arguments this user's home and environment count; with a `home` of its
    own only the variables in `env`. What cannot be read is left out, and so is a
    file that was found under another name before.
    """
    found: dict[str, Found] = {}
    for place in _places(home, env):
        for pattern in place.patterns:
            for path in _matching(place.folder, tuple(pattern.split("/")), frozenset()):
                file = _found(place.agent, path)
                if file:
                    found.setdefault(os.path.realpath(path), file)
    yield from sorted(found.values(), key=lambda file: (-file.modified, file.path))


def looked_in(home: Path | None = None, env: Mapping[str, str] | None = None) -> tuple[tuple[str, Path], ...]:
    """Each agent with the folders that `find` looks through, whether or not they exist."""
    return tuple((place.agent, place.folder) for place in _places(home, env))


def _places(home: Path | None, env: Mapping[str, str] | None) -> Iterator[Place]:
    if env is None:
        env = os.environ if home is None else {}
    home = home or Path.home()

    def named(variable: str, otherwise: Path) -> Path:
        """The path that a variable gives, `~` being the home."""
        first, *rest = Path(env.get(variable, "").strip() or otherwise).parts
        return home.joinpath(*rest) if first == "~" else Path(first, *rest)

    claude = named("CLAUDE_CONFIG_DIR", home / ".claude")
    yield Place(claude_code.AGENT, claude / "projects", ("**/*.jsonl",))

    codex_home = named("CODEX_HOME", home / ".codex")
    yield Place(codex.AGENT, codex_home / "sessions", ("**/rollout-*.jsonl",))
    yield Place(codex.AGENT, codex_home / "archived_sessions", ("**/rollout-*.jsonl",))

    # Builds other than the released one have a database of their own, `opencode-<channel>.db`.
    data = named("XDG_DATA_HOME", home / ".local" / "share") / "opencode"
    yield Place(opencode.AGENT, data, ("opencode.db", "opencode-*.db"))
    # Older versions wrote files; the database took them over and left them behind.
    if not (data / "opencode.db").exists():
        yield Place(opencode.AGENT, data / "storage" / "session", ("*/ses_*.json",))
    if env.get("OPENCODE_DB", "") not in ("", ":memory:"):
        database = data / named("OPENCODE_DB", data)
        yield Place(opencode.AGENT, database.parent, (escape(database.name),))

    agent = named("PI_CODING_AGENT_DIR", home / ".pi" / "agent")
    yield Place(pi.AGENT, named("PI_CODING_AGENT_SESSION_DIR", agent / "sessions"), ("**/*.jsonl",))

    chats = named("GEMINI_CLI_HOME", home) / ".gemini" / "tmp"
    yield Place(gemini_cli.AGENT, chats, ("*/chats/**/*.json", "*/chats/**/*.jsonl"))

    # Older versions kept the form, and the folders, of Gemini CLI.
    qwen = named("QWEN_RUNTIME_DIR", named("QWEN_HOME", home / ".qwen"))
    yield Place(qwen_code.AGENT, qwen / "projects", ("*/chats/*.jsonl", "*/subagents/**/*.jsonl"))
    yield Place(qwen_code.AGENT, qwen / "tmp", ("*/chats/*.json", "*/chats/*.jsonl"))

    # One folder for each session; older versions wrote flat files.
    copilot = named("COPILOT_HOME", home / ".copilot")
    yield Place(copilot_cli.AGENT, copilot / "session-state", ("*/events.jsonl", "*.jsonl"))

    mini = named("MSWEA_GLOBAL_CONFIG_DIR", _config_folder("mini-swe-agent", home, env))
    yield Place(mini_swe_agent.AGENT, mini, ("**/*.traj.json",))

    # The first event stands for all; versions before 1 called conversations sessions.
    hands = named("OPENHANDS_PERSISTENCE_DIR", home / ".openhands")
    events = tuple(f"*/events/{first}" for first in FIRST_EVENTS)
    yield Place(openhands_sdk.AGENT, named("OPENHANDS_CONVERSATIONS_DIR", hands / "conversations"), events)
    yield Place(openhands.AGENT, hands / "sessions", events)

    if env.get("SWE_AGENT_TRAJECTORY_DIR", "").strip():
        yield Place(swe_agent.AGENT, named("SWE_AGENT_TRAJECTORY_DIR", home), ("**/*.traj",))


def _config_folder(name: str, home: Path, env: Mapping[str, str]) -> Path:
    """The folder that `platformdirs` gives a Python program for its configuration."""
    if sys.platform == "win32":
        return Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local") / name / name
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / name
    return Path(env.get("XDG_CONFIG_HOME") or home / ".config") / name


def _matching(folder: Path, pattern: tuple[str, ...], above: frozenset[str]) -> Iterator[Path]:
    """Paths below a folder; links are followed, but not back to a folder they lie in."""
    first, rest = pattern[0], pattern[1:]
    real = os.path.realpath(folder)
    if real in above:
        return
    if first == "**":
        yield from _matching(folder, rest, above)
    for entry in _entries(folder):
        path = Path(entry.path)
        if first == "**":
            if _is_folder(entry):
                yield from _matching(path, pattern, above | {real})
        elif fnmatchcase(entry.name, first):
            if not rest:
                yield path
            elif _is_folder(entry):
                yield from _matching(path, rest, above | {real})


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _found(agent: str, path: Path) -> Found | None:
    """The file with its age and size; None if it is no file, empty or out of reach."""
    try:
        status = path.stat()
    except OSError:
        return None
    if not S_ISREG(status.st_mode) or not status.st_size:
        return None
    return Found(agent, path, status.st_mtime, status.st_size)
