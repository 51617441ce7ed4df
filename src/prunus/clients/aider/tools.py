"""Aider: the model writes its edits into the answer, so there are no tools."""

from __future__ import annotations

from prunus.calls.meaning import Tool

TOOLS: tuple[Tool, ...] = ()
