"""OpenHands since version 1, which is built on its agent SDK."""

from __future__ import annotations

from prunus.calls.meaning import Tool

TOOLS: tuple[Tool, ...] = (
    Tool("terminal", "shell", command="command"),
    Tool("file_editor", "read", path="path", lines="view_range", when=("command", "view")),
    Tool("file_editor", "write", path="path", when=("command", "create")),
    Tool("file_editor", "edit", path="path", touch="change", when=("command", "undo_edit")),
    Tool("file_editor", "edit", path="path", keep=("command",)),
    Tool("task_tracker", "todo", key="todo:read", when=("command", "view")),
    Tool("task_tracker", "todo", key="todo:write"),
    Tool("delegate", "task", keep=("command",)),
)
