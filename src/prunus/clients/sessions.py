"""Recorded sessions of agents on disk, read as the requests that they sent.

Each agent has a loader; `load` finds the one that knows a file by its content. What no agent wrote may still be a
request, or the messages of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from prunus.clients import api_trace, chat_export, openai_chat, request, split, tau_bench
from prunus.clients.client import modules
from prunus.clients.opencode import database
from prunus.clients.opencode import sessions as opencode
from prunus.clients.recording import Recording, read
from prunus.clients.session import Session
from prunus.errors import FormatError

__all__ = ["LOADERS", "Loader", "Session", "is_request", "load", "stream"]


class Loader(Protocol):
    """What the module of an agent offers."""

    AGENT: str

    def recognise(self, recording: Recording, /) -> bool:
        """Whether the agent wrote this recording."""

    def sessions(self, recording: Recording, /) -> Iterator[Session]:
        """Its conversations, in order."""


LOADERS: tuple[Loader, ...] = (
    api_trace,
    *modules("sessions"),
    tau_bench,
    chat_export,
    openai_chat,  # last: it takes anything with roles
)
_ANY: tuple[Loader, ...] = (*LOADERS, request)


def load(path: str | Path) -> tuple[Session, ...]:
    """All sessions of a recorded file, gzipped or plain, that made a request.

    Where an agent splits a session into many files, the first of them stands for all (`split`).
    """
    return tuple(stream(path))


def stream(path: str | Path) -> Iterator[Session]:
    """The sessions of `load` one after another, for databases that hold very many."""
    path = Path(path)
    if database.is_database(path):
        for recording in database.recordings(path):
            yield from _numbered(opencode.sessions(recording))
        return
    recording = split.gather(path) or read(path)
    yield from _numbered(_loader(recording, path).sessions(recording))


def is_request(path: Path) -> bool:
    """Whether a file is one request as it was sent: no agent's recording, not packed, no messages alone."""
    if path.read_bytes().lstrip()[:1] != b"{":
        return False
    recording = split.gather(path) or read(path)
    return isinstance(recording.document, dict) and _loader(recording, path) in (openai_chat, request)


def _loader(recording: Recording, path: Path) -> Loader:
    for loader in _ANY:
        if loader.recognise(recording):
            return loader
    if not path.stat().st_size:
        raise FormatError(f"{path}: is empty")
    agents = ", ".join(sorted(loader.AGENT for loader in LOADERS if loader is not openai_chat))
    raise FormatError(f"{path}: neither a request nor a recorded session of {agents}")


def _numbered(sessions: Iterator[Session]) -> Iterator[Session]:
    """Those that made a request, further ones named by their number."""
    asked = (session for session in sessions if session.requests)
    for number, session in enumerate(asked, 1):
        yield replace(session, name=f"{session.name}#{number}", skipped=0) if number > 1 else session
