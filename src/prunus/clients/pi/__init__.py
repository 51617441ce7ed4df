"""pi 0.x, which says in brackets which lines of a file are not shown, and below its output how a command failed."""

from __future__ import annotations

from typing import Final

from prunus.calls.meaning import Tool
from prunus.clients.dialect import Dialect

TOOLS: tuple[Tool, ...] = (
    Tool("read", "read", path="path", offset="offset", limit="limit"),
    Tool("write", "write", path="path"),
    Tool("edit", "edit", path="path"),
    Tool("ls", "list", path="path"),
    Tool("find", "list", pattern="pattern", path="path"),
    Tool("bash", "shell", command="command"),
)

DIALECT: Final = Dialect(
    exit_code_last=r"^Command exited with code (-?\d+)\s*\Z",
    aborted="Command (?:timed out after|aborted)",
    refused=r"Tool \S+ not found\b",
    foot=r"\n\n\[(?:Showing lines \d+-\d+ of \d++|\d+ more lines in file\.|Line \d+ is )[^\n]*\]\Z",
    cut_last=r"\[Showing lines \d+-\d+ of \d+|\[\d+ more lines in file\.",
)
