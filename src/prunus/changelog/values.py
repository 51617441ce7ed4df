"""A changelog as values: files, and for each of them a line per purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prunus.changelog.text import as_markdown

__all__ = ["Changelog", "FileLog", "Line", "Origin"]

Origin = Literal["given", "inferred", "none"]


@dataclass(frozen=True, slots=True)
class Line:
    """What was done to one file for one purpose."""

    purpose: str
    origin: Origin
    """Where the purpose comes from: the call said it, the assistant said so before, or nobody did."""
    added: int
    removed: int
    exact: bool
    """False where the calls do not show how many lines they changed."""
    edits: int
    """How many calls it took."""
    first: int
    """The turn of the first of them."""
    last: int


@dataclass(frozen=True, slots=True)
class FileLog:
    """One file with the changes that are still in it."""

    path: str
    lines: tuple[Line, ...]

    @property
    def added(self) -> int:
        return sum(line.added for line in self.lines)

    @property
    def removed(self) -> int:
        return sum(line.removed for line in self.lines)

    @property
    def exact(self) -> bool:
        return all(line.exact for line in self.lines)


@dataclass(frozen=True, slots=True)
class Changelog:
    """The files of a session in the order in which they were first changed."""

    files: tuple[FileLog, ...]
    failed: int = 0
    """Edits that are left out because they failed."""
    reverted: int = 0
    """Edits that are left out because they were taken back, those that took them back included."""

    def __str__(self) -> str:
        return as_markdown(self)
