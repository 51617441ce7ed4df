"""Recorded sessions of agents on disk, read as the requests that the agents sent.

`load` finds the reader that knows a file by its content. A file that no agent wrote may still be a request, or the
messages of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from prunus.clients import api_trace, chat_export, saved_requests, tau_bench, trace_rows
from prunus.clients.client import modules
from prunus.clients.recorded_file import Recording, Session, read
from prunus.errors import FormatError

__all__ = ["READERS", "Session", "SessionReader", "is_request", "load", "sessions_in", "stream"]


class SessionReader(Protocol):
    """What a module that reads sessions offers.

    The module of an agent also has `folders`, for `prunus.clients.finder`. It may have `gather`, which gives the
    recordings that a path stands for if they are not simply its content, and None for any other path.
    """

    AGENT: str

    def recognise(self, recording: Recording, /) -> bool:
        """Whether the recording is of this kind."""

    def sessions(self, recording: Recording, /) -> Iterator[Session]:
        """The conversations of the recording, in order."""


READERS: tuple[SessionReader, ...] = (api_trace, *modules("sessions"), tau_bench, chat_export, trace_rows)


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
    found = _reader(recording, label).sessions(recording)
    for number, session in enumerate((one for one in found if one.requests), 1):
        yield session if number == 1 else replace(session, name=f"{session.name}#{number}", skipped=0)


def is_request(path: Path) -> bool:
    """Whether a file is one request as it was sent: not packed, and neither a recording nor messages alone."""
    if path.read_bytes().lstrip()[:1] != b"{":
        return False
    recording = next(_recordings(path))
    return isinstance(recording.document, dict) and _reader(recording, str(path)) is saved_requests


def _recordings(path: Path) -> Iterator[Recording]:
    """The recordings that a path stands for."""
    for module in modules("sessions"):
        if (gather := getattr(module, "gather", None)) and (found := gather(path)) is not None:
            yield from found
            return
    yield read(path)


def _reader(recording: Recording, label: str) -> SessionReader:
    for reader in (*READERS, saved_requests):
        if reader.recognise(recording):
            return reader
    if recording.is_empty:
        raise FormatError(f"{label}: is empty")
    agents = ", ".join(sorted(reader.AGENT for reader in READERS))
    raise FormatError(f"{label}: neither a request nor a recorded session of {agents}")
