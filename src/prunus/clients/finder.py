"""The files of recorded sessions on this machine, in the folders where agents keep them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_ISREG

from prunus.clients.client import modules

SessionFolder = tuple[Path, tuple[str, ...]]
"""A folder, and the patterns of the session files in it; `**` is any depth."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A file of recorded sessions."""

    agent: str
    """Name of the agent's loader."""
    path: Path
    modified: float
    """Unix time of the last change."""
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Home:
    """A user's home folder and environment, in which agents look for their own folders."""

    path: Path
    env: Mapping[str, str]

    def named(self, variable: str, otherwise: Path) -> Path:
        """The path that a variable gives, or the other one; `~` is the home folder."""
        first, *rest = Path(self.env.get(variable, "").strip() or otherwise).parts
        return self.path.joinpath(*rest) if first == "~" else Path(first, *rest)


def find(home: Path | None = None, env: Mapping[str, str] | None = None) -> Iterator[SessionFile]:
    """Every session file of every agent we know, newest first.

    Without arguments this user's home and environment count; with a `home` of its
    own only the variables in `env`. What cannot be read is left out, and so is a
    file that was found under another name before.
    """
    found: dict[str, SessionFile] = {}
    for agent, (folder, patterns) in _folders(home, env):
        for pattern in patterns:
            for path in _matching(folder, tuple(pattern.split("/")), frozenset()):
                if file := _session_file(agent, path):
                    found.setdefault(os.path.realpath(path), file)
    yield from sorted(found.values(), key=lambda file: (-file.modified, file.path))


def looked_in(home: Path | None = None, env: Mapping[str, str] | None = None) -> tuple[tuple[str, Path], ...]:
    """Each agent with the folders that `find` looks through, whether or not they exist."""
    return tuple((agent, folder) for agent, (folder, _) in _folders(home, env))


def _folders(home: Path | None, env: Mapping[str, str] | None) -> Iterator[tuple[str, SessionFolder]]:
    """Each agent's name with each of its folders."""
    if env is None:
        env = os.environ if home is None else {}
    place = Home(home or Path.home(), env)
    for module in modules("sessions"):
        for folder in module.folders(place):
            yield module.AGENT, folder


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


def _session_file(agent: str, path: Path) -> SessionFile | None:
    """The file with its age and size; None if it is no file, empty or out of reach."""
    try:
        status = path.stat()
    except OSError:
        return None
    if not S_ISREG(status.st_mode) or not status.st_size:
        return None
    return SessionFile(agent, path, status.st_mtime, status.st_size)
