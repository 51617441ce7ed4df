"""mini-swe-agent: one tool, a shell."""

from __future__ import annotations

from prunus.tools.meaning import Tool

TOOLS: tuple[Tool, ...] = (Tool("bash", "shell", command="command"),)
