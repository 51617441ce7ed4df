"""Claude Code, 1.x to 2.1."""

from __future__ import annotations

from prunus.calls.meaning import Tool

TOOLS: tuple[Tool, ...] = (
    Tool("Read", "read", path="file_path", offset="offset", limit="limit"),
    Tool("NotebookRead", "read", path="notebook_path"),
    Tool("Write", "write", path="file_path"),
    Tool("Edit", "edit", path="file_path"),
    Tool("MultiEdit", "edit", path="file_path"),
    Tool("NotebookEdit", "edit", path="notebook_path", keep=("cell_id", "cell_number")),
    Tool("LS", "list", path="path"),
    Tool("Glob", "list", pattern="pattern", path="path"),
    Tool("Grep", "search", pattern="pattern", path="path", include="glob"),
    Tool("Bash", "shell", command="command", keep=("description",)),
    Tool("PowerShell", "shell", command="command", keep=("description",)),
    Tool("Monitor", "shell", command="command", keep=("description",)),
    Tool("BashOutput", "shell", keep=("bash_id",)),
    Tool("KillShell", "shell", keep=("shell_id",)),
    Tool("WebFetch", "fetch", url="url", keep=("prompt",)),
    Tool("WebSearch", "fetch", query="query"),
    Tool("TodoWrite", "todo", key="todo:write"),
    Tool("TodoRead", "todo", key="todo:read"),
    Tool("TaskList", "todo", key="todo:read"),
    # These change one entry of the list, so an earlier one still says something.
    Tool("TaskCreate", "todo", key="-", keep=("subject",)),
    Tool("TaskUpdate", "todo", key="-", keep=("taskId", "status")),
    Tool("TaskGet", "todo", key="-", keep=("taskId",)),
    Tool("Task", "task", keep=("description", "subagent_type")),
    Tool("Agent", "task", keep=("description", "subagent_type")),
    Tool("TaskOutput", "task", keep=("task_id",)),
    Tool("Skill", "other", query="skill"),
)
