"""OpenCode 1.x."""

from __future__ import annotations

from prunus.calls.meaning import Tool

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
