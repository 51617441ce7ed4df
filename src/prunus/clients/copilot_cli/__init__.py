"""GitHub Copilot CLI, which writes the exit code below the output of a command.

Its tools for files and searches are in the table of common tools.
"""

from __future__ import annotations

from typing import Final

from prunus.calls.meaning import Tool
from prunus.clients.dialect import Dialect

TOOLS: tuple[Tool, ...] = (
    Tool("read_bash", "shell", keep=("shellId",)),
    Tool("write_bash", "shell", keep=("shellId", "input")),
    Tool("stop_bash", "shell", keep=("shellId",)),
)

DIALECT: Final = Dialect(
    exit_code_last=r"^<exited with exit code (-?\d+)>\s*\Z",
    process_keys=("shellId",),
    polling_tools=("read_bash", "stop_bash"),
    edit_done=r"File \S.* updated with changes\.",
)
