"""Gemini CLI 0.x, with the argument names of its older versions."""

from __future__ import annotations

from prunus.calls.meaning import Tool

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
