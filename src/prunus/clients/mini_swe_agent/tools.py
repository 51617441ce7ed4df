"""mini-swe-agent: one tool, a shell."""

from __future__ import annotations

from prunus.calls.meaning import Tool

TOOLS: tuple[Tool, ...] = (Tool("bash", "shell", command="command"),)
