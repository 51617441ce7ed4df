"""SWE-agent: its tools as functions, and as the text commands of older versions.

SWE-agent shows a part of the open file below each command that moves in it.
"""

from __future__ import annotations

import re
from typing import Final

from prunus.calls.meaning import Kind, Tool
from prunus.calls.shown import Shown, numbered, uncut
from prunus.clients.dialect import Dialect
from prunus.text.numbers import as_number

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

_FILE: Final = re.compile(r"^\[File: [^\n]+? \((\d+) lines total\)\]$", re.M)
_ABOVE: Final = re.compile(r"\(\d+ more lines? above\)|<<<<< (?:START|END) CURSOR >>>>>")
_OPEN: Final = re.compile(r"^\(Open file: ([^\n]+)\)$", re.M)
_COMMAND: Final = re.compile(
    r"\s*(?:(?P<open>open)\s+(?P<path>\"[^\"]+\"|\S+)(?:\s+\d+)?\s*$"
    r"|(?P<window>goto|scroll_up|scroll_down)\b[^\n&|;]*$"
    r"|(?P<edit>edit|insert)\s+(?:\d|set_)"
    r"|(?P<create>create)\s+(?P<new>\"[^\"]+\"|\S+)\s*$"
    r"|(?P<find>find_file|search_dir|search_file)\s++(?P<rest>[^\n&|;]*[^\s&|;])\s*$)"
)


def _window(text: str) -> Shown | None:
    if " lines total)]" not in text:
        return None
    heads = list(_FILE.finditer(text))
    opened = _OPEN.search(text)
    if len(heads) != 1 or opened is None:
        return None
    lines = [line for line in text[heads[0].end() + 1 :].split("\n") if not _ABOVE.fullmatch(line)]
    listed = numbered(lines, ":")
    total = as_number(heads[0][1])
    if listed is None or listed.start + len(listed.texts) - 1 > total:
        return None
    return Shown(listed.start, uncut(listed.texts), total, None, listed.style, opened[1].strip())


def _own_command(command: str) -> tuple[Kind, str] | None:
    """A window of a file has no key, and neither has an edit: both depend on the file that was opened before."""
    found = _COMMAND.match(command)
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


DIALECT: Final = Dialect(
    own_command=_own_command,
    window=_window,
    open_file=r"^\[File: (\S+) \(\d+ lines total\)\]",
)
