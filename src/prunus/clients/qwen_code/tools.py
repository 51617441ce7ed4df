"""Qwen Code 0.x; what it shares with Gemini CLI is in that table."""

from __future__ import annotations

from prunus.calls.meaning import Tool

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
