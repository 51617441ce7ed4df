"""The contents of one file at one moment, and how many of its lines are known, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prunus.files.content import Content

Extent = Literal["whole", "part", "unknown", "deleted"]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """How much is known of one file that a conversation read or changed."""

    path: str
    reads: int
    edits: int
    known: int
    """Lines that are certain."""
    lines: int | None
    """Lines of the file; None if more may follow."""
    extent: Extent


@dataclass(frozen=True, slots=True)
class FileState:
    """One file after some turn, with its certain lines."""

    path: str
    lines: tuple[str | None, ...] = ()
    """From line 1 on; None is a line that is not known."""
    length: int | None = None
    """How many lines the file has; None if more may follow."""
    ended: bool | None = None
    """Whether the last line ends with a line break; None if that is not certain."""
    deleted: bool = False

    @property
    def known(self) -> int:
        """How many lines are certain."""
        return sum(line is not None for line in self.lines)

    @property
    def whole(self) -> bool:
        """Whether the whole file is certain."""
        return self.length is not None and None not in self.lines and not self.deleted

    @property
    def text(self) -> str | None:
        """The whole file; None if a part of it is not known."""
        if not self.whole:
            return None
        joined = "\n".join(line for line in self.lines if line is not None)
        return joined + "\n" if self.lines and self.ended is not False else joined

    @property
    def numbered(self) -> tuple[tuple[int, str], ...]:
        """The certain lines with their numbers, counted from 1."""
        return tuple((number, line) for number, line in enumerate(self.lines, 1) if line is not None)

    @property
    def runs(self) -> tuple[tuple[int, int, bool], ...]:
        """Stretches of lines, as first and last line and whether they are certain."""
        found: list[tuple[int, int, bool]] = []
        for number, line in enumerate(self.lines, 1):
            if found and found[-1][2] == (line is not None):
                found[-1] = (found[-1][0], number, found[-1][2])
            else:
                found.append((number, number, line is not None))
        return tuple(found)


def extent_of(state: FileState) -> Extent:
    """How much of a file is certain."""
    if state.deleted:
        return "deleted"
    return "whole" if state.whole else "part" if state.known else "unknown"


def state_of(path: str, content: Content, deleted: bool) -> FileState:
    """The current content of a file as a value."""
    lines = list(content.lines)
    while content.length is None and lines and lines[-1] is None:
        lines.pop()
    texts = tuple(None if line is None else line.text for line in lines)
    return FileState(path, texts, content.length, content.ended, deleted)
