"""A changelog: files, and for each file a line per purpose; as Markdown and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from prunus.text.printable import printable

Origin = Literal["given", "inferred", "none"]


@dataclass(frozen=True, slots=True)
class PurposeLine:
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
    lines: tuple[PurposeLine, ...]

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


def as_markdown(log: Changelog) -> str:
    """One bullet for each file and purpose, with the lines added and removed."""
    lines = [printable(line) for file in log.files for line in _file(file)]
    if not log.files:
        lines.append("No file was changed.")
    if log.failed or log.reverted:
        lines += ["", f"Left out: {log.failed} failed, {log.reverted} reverted."]
    return "\n".join(lines) + "\n"


def as_json(log: Changelog) -> dict[str, Any]:
    """Everything as plain data."""
    files = [
        {
            "path": file.path,
            **{name: getattr(file, name) for name in ("added", "removed", "exact")},
            "changes": [_change(line) for line in file.lines],
        }
        for file in log.files
    ]
    return {"files": files, "failed": log.failed, "reverted": log.reverted}


def _change(line: PurposeLine) -> dict[str, Any]:
    change = asdict(line)
    turns = [change.pop("first"), change.pop("last")]
    return {**change, "turns": turns}


def _file(file: FileLog) -> Iterator[str]:
    if len(file.lines) == 1:
        yield f"- {file.path}: {_line(file.lines[0])}"
        return
    yield f"- {file.path} ({_count(file)})"
    yield from (f"  - {_line(line)}" for line in file.lines)


def _line(line: PurposeLine) -> str:
    inferred = " [inferred]" if line.origin == "inferred" else ""
    edits = f", {line.edits} edits" if line.edits > 1 else ""
    turns = f"turn {line.first}" if line.first == line.last else f"turns {line.first}-{line.last}"
    return f"{line.purpose}{inferred} ({_count(line)}{edits}, {turns})"


def _count(counted: FileLog | PurposeLine) -> str:
    if counted.exact:
        return f"+{counted.added} -{counted.removed}"
    return f"+{counted.added} -{counted.removed} and more" if counted.added or counted.removed else "lines unknown"
