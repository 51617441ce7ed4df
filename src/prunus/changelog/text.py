"""A changelog as Markdown and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from prunus.printable import printable

if TYPE_CHECKING:
    from prunus.changelog.values import Changelog, FileLog, Line

__all__ = ["as_json", "as_markdown"]


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
    return {
        "files": [
            {
                "path": file.path,
                "added": file.added,
                "removed": file.removed,
                "exact": file.exact,
                "changes": [
                    {
                        "purpose": line.purpose,
                        "origin": line.origin,
                        "added": line.added,
                        "removed": line.removed,
                        "exact": line.exact,
                        "edits": line.edits,
                        "turns": [line.first, line.last],
                    }
                    for line in file.lines
                ],
            }
            for file in log.files
        ],
        "failed": log.failed,
        "reverted": log.reverted,
    }


def _file(file: FileLog) -> Iterator[str]:
    if len(file.lines) == 1:
        yield f"- {file.path}: {_line(file.lines[0])}"
        return
    yield f"- {file.path} ({_count(file)})"
    yield from (f"  - {_line(line)}" for line in file.lines)


def _line(line: Line) -> str:
    inferred = " [inferred]" if line.origin == "inferred" else ""
    edits = f", {line.edits} edits" if line.edits > 1 else ""
    turns = f"turn {line.first}" if line.first == line.last else f"turns {line.first}-{line.last}"
    return f"{line.purpose}{inferred} ({_count(line)}{edits}, {turns})"


def _count(counted: FileLog | Line) -> str:
    if counted.exact:
        return f"+{counted.added} -{counted.removed}"
    return f"+{counted.added} -{counted.removed} and more" if counted.added or counted.removed else "lines unknown"
