"""What agents call their tools, and how they spell the arguments."""

from __future__ import annotations

import json
from typing import Any

from tests.generate.session import Action

__all__ = ["claude_code", "codex", "gemini_cli", "opencode"]

Spelled = tuple[str, dict[str, Any]]


def claude_code(action: Action) -> Spelled:
    first, last = action.lines
    match action.kind:
        case "read":
            return "Read", {"file_path": action.path}
        case "read_lines":
            return "Read", {"file_path": action.path, "offset": first, "limit": last - first + 1}
        case "write":
            return "Write", {"file_path": action.path, "content": action.text}
        case "edit":
            return "Edit", {"file_path": action.path, "old_string": action.old, "new_string": action.text}
        case "shell" | "local" | "remote":
            return "Bash", {"command": action.command, "description": "Runs it"}
        case "todo":
            return "TodoWrite", {"todos": [{"content": item, "status": "pending"} for item in action.items]}
        case "fetch":
            return "WebFetch", {"url": action.command, "prompt": "What does it say?"}
        case "search":
            return "Grep", {"pattern": action.command, "path": action.path}
        case "list":
            return "Glob", {"pattern": action.command, "path": action.path}
        case "task":
            return "Task", {"description": "Look", "prompt": action.command, "subagent_type": "general"}
        case "tools":
            return "ToolSearch", {"query": action.command, "max_results": 5}
        case "snapshot":
            return "mcp__playwright__browser_snapshot", {}
    return "mcp__tracker__find", {"query": action.command}


def opencode(action: Action) -> Spelled:
    first, last = action.lines
    match action.kind:
        case "read":
            return "read", {"filePath": action.path}
        case "read_lines":
            return "read", {"filePath": action.path, "offset": first, "limit": last - first + 1}
        case "write":
            return "write", {"filePath": action.path, "content": action.text}
        case "edit":
            return "edit", {"filePath": action.path, "oldString": action.old, "newString": action.text}
        case "shell" | "local" | "remote":
            return "bash", {"command": action.command, "description": "Runs it"}
        case "todo":
            return "todowrite", {
                "todos": [{"content": i, "status": "pending", "priority": "high"} for i in action.items]
            }
        case "fetch":
            return "webfetch", {"url": action.command, "format": "markdown"}
        case "search":
            return "grep", {"pattern": action.command, "path": action.path}
        case "list":
            return "glob", {"pattern": action.command, "path": action.path}
        case "task":
            return "task", {"description": "Look", "prompt": action.command, "subagent_type": "general"}
        case "snapshot":
            return "playwright_browser_snapshot", {}
    return "tracker_find", {"query": action.command}


def gemini_cli(action: Action) -> Spelled:
    first, last = action.lines
    match action.kind:
        case "read":
            return "read_file", {"file_path": action.path}
        case "read_lines":
            return "read_file", {"file_path": action.path, "start_line": first, "end_line": last}
        case "write":
            return "write_file", {"file_path": action.path, "content": action.text}
        case "edit":
            return "replace", {"file_path": action.path, "old_string": action.old, "new_string": action.text}
        case "shell" | "local" | "remote":
            return "run_shell_command", {"command": action.command, "description": "Runs it"}
        case "todo":
            return "write_todos", {"todos": [{"description": item, "status": "pending"} for item in action.items]}
        case "fetch":
            return "web_fetch", {"prompt": f"Summarise {action.command}"}
        case "search":
            return "grep_search", {"pattern": action.command, "dir_path": action.path}
        case "list":
            return "glob", {"pattern": action.command}
        case "task":
            return "invoke_agent", {"agent_name": "codebase_investigator", "prompt": action.command}
    return "mcp_tracker_find", {"query": action.command}


def codex(action: Action) -> tuple[str, str, dict[str, Any]]:
    """Type of the item, name of the tool, and the field with its arguments."""
    first, last = action.lines
    path = action.path
    match action.kind:
        case "read":
            return _command(f"cat {path}")
        case "read_lines":
            return _command(f"sed -n '{first},{last}p' {path}")
        case "write":
            added = "\n".join("+" + line for line in action.text.split("\n"))
            return _patch(f"*** Add File: {path}\n{added}")
        case "edit":
            old = "\n".join("-" + line for line in action.old.split("\n"))
            new = "\n".join("+" + line for line in action.text.split("\n"))
            return _patch(f"*** Update File: {path}\n@@\n{old}\n{new}")
        case "local":
            given = {"type": "exec", "command": ["bash", "-lc", action.command], "env": {}}
            return "local_shell_call", "", {"action": given, "status": "completed"}
        case "tools":
            return "tool_search_call", "", {"execution": "client", "arguments": {"query": action.command}}
        case "remote":
            return "shell_call", "", {"action": {"commands": [action.command, "true"]}, "status": "completed"}
        case "hosted":
            return "web_search_call", "", {"status": "completed", "action": {"type": "search", "query": "x"}}
        case "shell":
            return _command(action.command)
        case "search":
            return _command(f"rg -n '{action.command}' {path}")
        case "list":
            return _command(f"ls {path}")
        case "fetch":
            return _command(f"curl -s {action.command}")
        case "todo":
            plan = {"plan": [{"step": item, "status": "pending"} for item in action.items]}
            return "function_call", "update_plan", {"arguments": json.dumps(plan, ensure_ascii=False)}
    return "function_call", "tracker_find", {"arguments": json.dumps({"query": action.command}, ensure_ascii=False)}


def _command(command: str) -> tuple[str, str, dict[str, Any]]:
    given = {"cmd": command, "workdir": "/home/user/app", "max_output_tokens": 4000}
    return "function_call", "exec_command", {"arguments": json.dumps(given, ensure_ascii=False)}


def _patch(hunk: str) -> tuple[str, str, dict[str, Any]]:
    return "custom_tool_call", "apply_patch", {"input": f"*** Begin Patch\n{hunk}\n*** End Patch\n"}
