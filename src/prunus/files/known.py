"""How much is known of each file of a conversation, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, overload

from prunus.files.state import FileState
from prunus.files.timeline import Timeline

Extent = Literal["whole", "part", "unknown", "deleted"]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """One file that a conversation read or changed."""

    path: str
    reads: int
    edits: int
    known: int
    """Lines that are certain."""
    lines: int | None
    """Lines of the file; None if more may follow."""
    extent: Extent


@overload
def known_files(timeline: Timeline) -> tuple[KnownFile, ...]: ...


@overload
def known_files(timeline: Timeline | None) -> tuple[KnownFile, ...] | None: ...


def known_files(timeline: Timeline | None) -> tuple[KnownFile, ...] | None:
    """Return the files of a timeline, in the order of their last use; None where there is no timeline."""
    if timeline is None:
        return None
    return tuple(
        KnownFile(state.path, file.reads, file.edits, state.known, state.length, _extent(state))
        for file in list(timeline.files.values())
        for state in (timeline.state(file.path),)
    )


def _extent(state: FileState) -> Extent:
    if state.deleted:
        return "deleted"
    if state.whole:
        return "whole"
    return "part" if state.known else "unknown"
