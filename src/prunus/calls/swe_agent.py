"""SWE-agent: its tools as functions, and as the text commands of older versions."""

from __future__ import annotations

import re

from prunus.calls.meaning import Meaning, Tool
from prunus.paths import normalise

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


def action(command: str) -> Meaning | None:
    """What one of SWE-agent's own commands means; None if it is a command for the shell.

    Windows of a file are named without lines, and edits without the file: both depend on what
    was open before.
    """
    found = _ACTION.match(command)
    if found is None:
        return None
    metadata = ("command",)
    if found["open"]:
        return Meaning("read", normalise(found["path"].strip('"')), (), command, metadata)
    if found["window"]:
        return Meaning("read", "", (), command, metadata)
    if found["edit"]:
        return Meaning("edit", "", (), command, metadata)
    if found["create"]:
        return Meaning("write", normalise(found["new"].strip('"')), (), command, metadata)
    kind = found["find"]
    rest = " ".join(found["rest"].split())
    if kind == "find_file":
        return Meaning("list", f"glob:{rest}", (), command, metadata)
    return Meaning("search", f"grep:{rest}", (), command, metadata)
