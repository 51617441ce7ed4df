"""Results of tau-bench: a list of runs, each with its chat messages in `traj`."""

from __future__ import annotations

from collections.abc import Iterator

from prunus.clients.chat_turns import as_session, plain_turns
from prunus.clients.recorded_file import Recording, Session, rows


def recognise(recording: Recording) -> bool:
    """Runs with a `traj`."""
    return any("traj" in run for run in rows(recording.document))


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each run."""
    for run in rows(recording.document):
        yield as_session(plain_turns(rows(run.get("traj"))))
