"""OpenHands, both the older agent and the SDK."""

from __future__ import annotations

from prunus.calls.meaning import Tool

TOOLS: tuple[Tool, ...] = (
    Tool("execute_bash", "shell", command="command"),
    Tool("terminal", "shell", command="command"),
    Tool("execute_ipython_cell", "shell", keep=("code",)),
    Tool("str_replace_editor", "read", path="path", lines="view_range", when=("command", "view")),
    Tool("str_replace_editor", "write", path="path", when=("command", "create")),
    Tool("str_replace_editor", "edit", path="path", touch="change", when=("command", "undo_edit")),
    Tool("str_replace_editor", "edit", path="path", keep=("command",)),
    Tool("file_editor", "read", path="path", lines="view_range", when=("command", "view")),
    Tool("file_editor", "write", path="path", when=("command", "create")),
    Tool("file_editor", "edit", path="path", touch="change", when=("command", "undo_edit")),
    Tool("file_editor", "edit", path="path", keep=("command",)),
    # A model rewrites these lines from a sketch, so the call does not show the result.
    Tool("edit_file", "edit", path="path", touch="change", keep=("start", "end")),
    Tool("task_tracker", "todo", key="todo:read", when=("command", "view")),
    Tool("task_tracker", "todo", key="todo:write"),
    Tool("delegate", "task", keep=("command",)),
)
