"""Qwen Code 0.x, which names the lines of a file that it shows.

The tools and words that it shares with Gemini CLI are listed there.
"""

from __future__ import annotations

import re
from typing import Final

from prunus.calls.meaning import Tool
from prunus.calls.shown import lines_below
from prunus.clients.dialect import Dialect

TOOLS: tuple[Tool, ...] = (
    Tool("read_file", "read", path="file_path", offset="offset", limit="limit", zero=True),
    Tool("edit", "edit", path="file_path"),
    Tool("notebook_edit", "edit", path="notebook_path", keep=("cell_id",)),
    Tool("list_directory", "list", path="path"),
    Tool("run_shell_command", "shell", command="command", keep=("description",), workdir="directory"),
    Tool("todo_write", "todo", key="todo:write"),
    Tool("web_fetch", "fetch", url="url", keep=("prompt",)),
    Tool("web_search", "fetch", query="query"),
    Tool("agent", "task", keep=("description", "subagent_type")),
    Tool("skill", "other", query="skill"),
)

_LINES: Final = re.compile(
    r"\A(?:The file: [^\n]* has been updated\. )?Showing lines (\d+)-(\d+) of (\d+)"
    r"(?: total lines| from the edited file)[.:]\n+---\n\n"
)

DIALECT: Final = Dialect(
    user_agent="qwencode",
    compacts_at=0.7,
    readers=((_LINES, lines_below),),
    summary_task=("update durable managed memory", "conversation history"),
)
