"""SWE-agent: its tools as functions, and as the text commands of older versions."""

from __future__ import annotations

import re

from prunus.calls.meaning import Kind, Tool

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

_ACTION = re.compile(
    r"\s*(?:(?P<open>open)\s+(?P<path>\"[^\"]+\"|\S+)(?:\s+\d+)?\s*$"
    r"|(?P<window>goto|scroll_up|scroll_down)\b[^\n&|;]*$"
    r"|(?P<edit>edit|insert)\s+(?:\d|set_)"
    r"|(?P<create>create)\s+(?P<new>\"[^\"]+\"|\S+)\s*$"
    r"|(?P<find>find_file|search_dir|search_file)\s++(?P<rest>[^\n&|;]*[^\s&|;])\s*$)"
)


def action(command: str) -> tuple[Kind, str] | None:
    """The kind and the key of one of SWE-agent's own commands; None if the command is for the shell.

    A window of a file has no key, and neither has an edit: both depend on the file that was opened before.
    """
    found = _ACTION.match(command)
    if found is None:
        return None
    if found["open"]:
        return "read", found["path"].strip('"')
    if found["window"]:
        return "read", ""
    if found["edit"]:
        return "edit", ""
    if found["create"]:
        return "write", found["new"].strip('"')
    rest = " ".join(found["rest"].split())
    return ("list", f"glob:{rest}") if found["find"] == "find_file" else ("search", f"grep:{rest}")
