"""pi 0.x."""

from __future__ import annotations

from prunus.calls.meaning import Tool

TOOLS: tuple[Tool, ...] = (
    Tool("read", "read", path="path", offset="offset", limit="limit"),
    Tool("write", "write", path="path"),
    Tool("edit", "edit", path="path"),
    Tool("ls", "list", path="path"),
    Tool("find", "list", pattern="pattern", path="path"),
    Tool("bash", "shell", command="command"),
)
