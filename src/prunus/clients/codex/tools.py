"""Codex CLI, with the shell tools of its older versions and its code mode."""

from __future__ import annotations

from prunus.calls.meaning import Tool

TOOLS: tuple[Tool, ...] = (
    Tool("exec_command", "shell", command="cmd", workdir="workdir"),
    Tool("shell_command", "shell", command="command", workdir="workdir"),
    Tool("shell", "shell", command="command", workdir="workdir"),
    Tool("container.exec", "shell", command="cmd", workdir="workdir"),
    Tool("local_shell_call", "shell", command="action"),
    Tool("local_shell_call", "shell", command="command", workdir="working_directory"),
    Tool("local_shell", "shell", command="action"),
    Tool("local_shell", "shell", command="command", workdir="working_directory"),
    Tool("write_stdin", "shell", keep=("session_id", "chars")),
    Tool("exec", "shell", command="input", language="javascript"),
    Tool("apply_patch", "edit", patch="input"),
    Tool("apply_patch", "edit", patch="patch"),
    Tool("view_image", "read", path="path"),
    Tool("list_dir", "list", path="dir_path"),
    Tool("grep_files", "search", pattern="pattern", path="path", include="include"),
    Tool("update_plan", "todo", key="todo:write"),
    Tool("spawn_agent", "task", keep=("agent_type", "task_name")),
    Tool("send_input", "task", keep=("id",)),
    Tool("send_message", "task", keep=("target",)),
    Tool("wait_agent", "task", keep=("targets",)),
)
