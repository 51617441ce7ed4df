"""SWE-agent: its tools as functions, and as the text commands of older versions."""

from __future__ import annotations

from prunus.calls.meaning import Tool

TOOLS: tuple[Tool, ...] = (
    Tool("bash", "shell", command="command"),
    Tool("action", "shell", command="command", language="action"),
    Tool("open", "read", path="path"),
    Tool("create", "write", path="filename", touch="change"),
    Tool("goto", "read", keep=("line_number",)),
    Tool("scroll_up", "read"),
    Tool("scroll_down", "read"),
    Tool("edit", "edit", keep=("search", "start_line", "end_line", "line_number")),
    Tool("insert", "edit", keep=("line",)),
    Tool("find_file", "list", pattern="file_name", path="dir"),
    Tool("search_dir", "search", pattern="search_term", path="dir"),
    Tool("search_file", "search", pattern="search_term", path="file"),
)
