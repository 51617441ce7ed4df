"""GitHub Copilot CLI; its tools for files and searches are in the table of common tools."""

from __future__ import annotations

from prunus.calls.meaning import Tool

TOOLS: tuple[Tool, ...] = (
    Tool("read_bash", "shell", keep=("shellId",)),
    Tool("write_bash", "shell", keep=("shellId", "input")),
    Tool("stop_bash", "shell", keep=("shellId",)),
)
