"""OpenCode 1.x, which says in parentheses which lines of a file are not shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from prunus.calls.meaning import Tool
from prunus.calls.shown import Shown, numbered, uncut
from prunus.clients.dialect import Dialect
from prunus.text.numbers import as_number

TOOLS: tuple[Tool, ...] = (
    Tool("read", "read", path="filePath", offset="offset", limit="limit"),
    Tool("write", "write", path="filePath"),
    Tool("edit", "edit", path="filePath"),
    Tool("multiedit", "edit", path="filePath"),
    Tool("apply_patch", "edit", patch="patchText"),
    Tool("patch", "edit", patch="patchText"),
    Tool("list", "list", path="path"),
    Tool("glob", "list", pattern="pattern", path="path"),
    Tool("grep", "search", pattern="pattern", path="path", include="include"),
    Tool("bash", "shell", command="command", keep=("description",), workdir="workdir"),
    Tool("webfetch", "fetch", url="url", keep=("format",)),
    Tool("websearch", "fetch", query="query"),
    Tool("codesearch", "fetch", query="query"),
    Tool("todowrite", "todo", key="todo:write"),
    Tool("todoread", "todo", key="todo:read"),
    Tool("task", "task", keep=("description", "subagent_type")),
    Tool("skill", "other", query="name"),
)

_HEAD: Final = re.compile(r"<path>(?:[^\n]*</path>\n<type>file</type>\n<content>\n?)?|<file>\n")
_END: Final = re.compile(r"\(End of (?:the )?file - total (\d+) lines\)")
_MORE: Final = re.compile(r"\(Showing lines \d+-\d+ of (\d+)")


def _lines(header: re.Match[str]) -> Shown | None:
    """Numbered lines, with the number of all lines below them; None for a folder or a picture."""
    listed = numbered(header.string[header.end() :].split("\n")) if header[0] != "<path>" else None
    if listed is None:
        return None
    rest = "\n".join(listed.rest)[:200]
    ended, more = _END.search(rest), _MORE.search(rest)
    count = as_number(ended[1]) if ended else as_number(more[1]) if more else None
    end = listed.start - 1 + len(listed.texts)
    if (ended and count != end) or (count is not None and count < end):
        count = None
    return Shown(listed.start, uncut(listed.texts), count, None, listed.style)


def _from_subagent(headers: Mapping[str, str], system: bytes) -> bool:
    return bool(headers.get("x-parent-session-id"))


DIALECT: Final = Dialect(
    aborted=r"Tool execution aborted|<bash_metadata>\nbash tool terminated",
    refused="The user rejected permission|The arguments provided to the tool are invalid|Tool execution aborted"
    "|Model tried to call unavailable tool",
    denied="The user rejected permission",
    readers=((_HEAD, _lines),),
    session_headers=("x-session-id", "x-session-affinity", "x-opencode-session"),
    from_subagent=_from_subagent,
    cut_first=r"\.\.\.output truncated\.\.\.",
    cut_last=r"\(File has more lines\.|\(Output capped at|\(Showing lines \d+-\d+ of \d+",
)
