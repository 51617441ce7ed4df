"""Recorded sessions of agents on disk, found where agents keep them and read as the requests that the agents sent.

`load` finds the reader that knows a file by its content. A file that no agent wrote may still be a request, or the
messages of one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_ISREG
from typing import Any, Protocol

from prunus.clients import api_trace, chat_export, saved_requests, tau_bench, trace_rows
from prunus.clients.client import ALL, Home, SessionFolder
from prunus.clients.recorded_file import Recording, read
from prunus.clients.recorded_file import Session as Session
from prunus.errors import FormatError
from prunus.text.printable import whole_text


class SessionReader(Protocol):
    """What a module that reads sessions offers.

    The module of an agent also has `folders`, for `find`. It may have `gather`, which gives the recordings that a
    path stands for if they are not simply its content, and None for any other path.
    """

    def recognise(self, recording: Recording, /) -> bool:
        """Whether the recording is of this kind."""

    def sessions(self, recording: Recording, /) -> Iterator[Session]:
        """The conversations of the recording, in order."""


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


_AGENTS: Mapping[str, Any] = {
    client.name.replace("_", "-"): module for client in ALL if (module := client.module("sessions")) is not None
}
READERS: Mapping[str, SessionReader] = {
    "api-trace": api_trace,
    **_AGENTS,
    "tau-bench": tau_bench,
    "chat-export": chat_export,
    "trace-rows": trace_rows,
}
"""The readers by the name of their agent, in the order in which they are asked."""


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


def load(path: str | Path) -> tuple[Session, ...]:
    """All sessions of a recorded file, packed or plain, that made a request.

    If an agent splits a session into many files, the first of them stands for all.
    """
    return tuple(stream(path))


def stream(path: str | Path) -> Iterator[Session]:
    """The sessions of `load` one after another, for databases that hold very many."""
    path = Path(path)
    for recording in _recordings(path):
        yield from sessions_in(recording, str(path))


def sessions_in(recording: Recording, label: str) -> Iterator[Session]:
    """The sessions of one recording that made a request; errors begin with the label."""
    agent, reader = _reader(recording, label)
    name, skipped = whole_text(recording.name), recording.skipped
    for number, session in enumerate((one for one in reader.sessions(recording) if one.requests), 1):
        if number == 1:
            yield replace(session, name=name, agent=session.agent or agent, skipped=skipped + session.skipped)
        else:
            yield replace(session, name=f"{name}#{number}", agent=session.agent or agent, skipped=0)


def is_recorded(path: Path) -> bool:
    """Whether an agent or an export wrote a file; a request, or messages as they were sent, is no such file."""
    recording = next(_recordings(path), None)
    return recording is None or _reader(recording, str(path))[1] is not saved_requests


def _recordings(path: Path) -> Iterator[Recording]:
    """The recordings that a path stands for."""
    for module in _AGENTS.values():
        if (gather := getattr(module, "gather", None)) and (found := gather(path)) is not None:
            yield from found
            return
    yield read(path)


def _reader(recording: Recording, label: str) -> tuple[str, SessionReader]:
    """The first reader that knows a recording, and its agent; requests that were saved name no agent."""
    for agent, reader in {**READERS, "": saved_requests}.items():
        if reader.recognise(recording):
            return agent, reader
    if recording.is_empty:
        raise FormatError(f"{label}: is empty")
    raise FormatError(f"{label}: neither a request nor a recorded session of {', '.join(sorted(READERS))}")


def _folders(home: Path | None, env: Mapping[str, str] | None) -> Iterator[tuple[str, SessionFolder]]:
    """Each agent's name with each of its folders."""
    if env is None:
        env = os.environ if home is None else {}
    place = Home(home or Path.home(), env)
    for agent, module in _AGENTS.items():
        for folder in module.folders(place):
            yield agent, folder


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
