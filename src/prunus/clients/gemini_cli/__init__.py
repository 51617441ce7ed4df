"""Gemini CLI 0.x, with the argument names of its older versions.

Gemini CLI writes the exit code and the process group below the output of a command.
"""

from __future__ import annotations

import re
from typing import Final

from prunus.calls.meaning import Tool
from prunus.calls.shown import lines_below
from prunus.clients.dialect import Dialect

TOOLS: tuple[Tool, ...] = (
    Tool("read_file", "read", path="file_path", start="start_line", end="end_line"),
    Tool("read_file", "read", path="absolute_path", offset="offset", limit="limit", zero=True),
    Tool("read_many_files", "read", paths="include"),
    Tool("read_many_files", "read", paths="paths"),
    Tool("write_file", "write", path="file_path"),
    Tool("replace", "edit", path="file_path", keep=("instruction",)),
    Tool("list_directory", "list", path="dir_path"),
    Tool("glob", "list", pattern="pattern", path="dir_path"),
    Tool("grep_search", "search", pattern="pattern", path="dir_path", include="include_pattern"),
    Tool("search_file_content", "search", pattern="pattern", path="path", include="include"),
    Tool("run_shell_command", "shell", command="command", keep=("description",), workdir="dir_path"),
    Tool("read_background_output", "shell", keep=("pid",)),
    Tool("web_fetch", "fetch", url="prompt"),
    Tool("google_web_search", "fetch", query="query"),
    Tool("write_todos", "todo", key="todo:write"),
    Tool("invoke_agent", "task", keep=("agent_name",)),
    Tool("activate_skill", "other", query="name"),
)

_FENCED: Final = re.compile(
    r"<untrusted_context>\s*Output: (.*?)\n(?:Exit Code:[^\n]*\n)?(?:Process Group PGID[^\n]*\n)?"
    r"</untrusted_context>\s*",
    re.S,
)
_TRUNCATED: Final = re.compile(
    r"\A\s*IMPORTANT: The file content has been truncated\.\n"
    r"(?>.*?Showing lines (\d+)-(\d+) of (\d+) total lines\.)"
    r".*?--- FILE CONTENT \(truncated\) ---\n",
    re.S,
)
_GROUP: Final = re.compile(r"^(?:Process Group PGID|Background PIDs?): [^\n]*\n?", re.M)
_TAIL: Final = 300
"""Characters at the end of a result in which the process group stands."""


def _output(text: str) -> str | None:
    found = _FENCED.fullmatch(text) if text.startswith("<untrusted_context>") else None
    return found[1] if found else None


def _comparable(text: str) -> str | None:
    if "Process Group PGID" not in text[-_TAIL:]:
        return None
    cut = max(0, len(text) - _TAIL)
    return text[:cut] + _GROUP.sub("", text[cut:])


DIALECT: Final = Dialect(
    user_agent="geminicli",
    compacts_at=0.5,
    folder="working in the directory: ",
    exit_code_last=r"^Exit Code: (-?\d+)\n(?:Signal: [^\n]*\n?)?(?:Background PIDs: [^\n]*\n)?"
    r"(?:Process Group PGID: [^\n]*\n?)?(?:</untrusted_context>)?\s*\Z",
    refused=r"Tool \"[^\"\n]+\" not found|params must ",
    output=_output,
    comparable=_comparable,
    polling_tools=("read_background_output",),
    readers=((_TRUNCATED, lines_below),),
    updated_code=r"Successfully (?:modified|created|overwrote)[^\n]* Here is the updated code:\n",
    cut_first=r"Output too large\b|Tool output was too large\b",
)
