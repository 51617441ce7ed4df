"""OpenHands before version 1, which writes the exit code below the output of a command."""

from __future__ import annotations

from typing import Final

from prunus.calls.meaning import Tool
from prunus.clients.dialect import Dialect

TOOLS: tuple[Tool, ...] = (
    Tool("execute_bash", "shell", command="command"),
    Tool("execute_ipython_cell", "shell", keep=("code",)),
    Tool("str_replace_editor", "read", path="path", lines="view_range", when=("command", "view")),
    Tool("str_replace_editor", "write", path="path", when=("command", "create")),
    Tool("str_replace_editor", "edit", path="path", touch="change", when=("command", "undo_edit")),
    Tool("str_replace_editor", "edit", path="path", keep=("command",)),
    # A model rewrites these lines from a sketch, so the call does not show the result.
    Tool("edit_file", "edit", path="path", touch="change", keep=("start", "end")),
)

DIALECT: Final = Dialect(
    exit_code_last=r"^\[(?:Command|The command|Process) (?:finished|completed|exited) with exit code "
    r"(-?\d+)\.?\]\s*\Z",
)
