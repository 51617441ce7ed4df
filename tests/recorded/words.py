"""The names that agents have for the same tools."""

from __future__ import annotations

import json
from typing import Any

from tests.recorded.story import Call

__all__ = ["WORDS", "patch", "shell", "spelled"]

WORDS: dict[str, dict[str, str]] = {
    "claude": {"read": "Read", "edit": "Edit", "write": "Write", "shell": "Bash", "search": "Grep"}
    | {"todo": "TodoWrite", "path": "file_path", "old": "old_string", "new": "new_string"},
    "opencode": {"read": "read", "edit": "edit", "write": "write", "shell": "bash", "search": "grep"}
    | {"todo": "todowrite", "path": "filePath", "old": "oldString", "new": "newString"},
    "pi": {"read": "read", "edit": "edit", "write": "write", "shell": "bash", "search": "grep"}
    | {"todo": "todo", "path": "path", "old": "oldText", "new": "newText"},
    "gemini": {"read": "read_file", "edit": "replace", "write": "write_file", "shell": "run_shell_command"}
    | {"search": "search_file_content", "todo": "write_todos"}
    | {"path": "file_path", "old": "old_string", "new": "new_string"},
    "qwen": {"read": "read_file", "edit": "edit", "write": "write_file", "shell": "run_shell_command"}
    | {"search": "grep_search", "todo": "todo_write"}
    | {"path": "file_path", "old": "old_string", "new": "new_string"},
    "copilot": {"read": "view", "edit": "edit", "write": "create", "shell": "bash", "search": "grep"}
    | {"todo": "update_todo", "path": "path", "old": "old_str", "new": "new_str"},
    "openhands": {"read": "str_replace_editor", "edit": "str_replace_editor", "write": "str_replace_editor"}
    | {"shell": "execute_bash", "search": "execute_bash", "todo": "think"}
    | {"path": "path", "old": "old_str", "new": "new_str"},
}


def spelled(family: str, call: Call) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a call in the words of one family of agents."""
    words = WORDS[family]
    name = words[call.kind]
    if family == "openhands" and call.kind in ("read", "edit", "write"):
        command = {"read": "view", "edit": "str_replace", "write": "create"}[call.kind]
        return name, {"command": command, **_arguments(words, call)}
    if family == "openhands":
        return name, {"thought": call.target} if call.kind == "todo" else {"command": shell(call)}
    return name, _arguments(words, call)


def _arguments(words: dict[str, str], call: Call) -> dict[str, Any]:
    match call.kind:
        case "read":
            return {words["path"]: call.target}
        case "edit":
            return {words["path"]: call.target, words["old"]: call.old, words["new"]: call.new}
        case "write":
            return {words["path"]: call.target, "content": call.new}
        case "shell":
            return {"command": call.target}
        case "search":
            return {"pattern": call.target, "path": "src"}
        case _:
            todos = [{"content": todo, "status": "pending"} for todo in call.target.split("; ")]
            return {"todos": todos}


def shell(call: Call) -> str:
    """A call as a command, for agents that have nothing else."""
    match call.kind:
        case "read":
            return f"cat {call.target}"
        case "edit":
            return f"sed -i 's/{call.old}/{call.new}/' {call.target}"
        case "write":
            return f"cat > {call.target} <<'EOF'\n{call.new}\nEOF"
        case "search":
            return f"grep -rn '{call.target}' src"
        case "todo":
            return f"echo {json.dumps(call.target)} > todo.txt"
        case _:
            return call.target


def patch(call: Call) -> str:
    """An edit as Codex writes it."""
    return f"*** Begin Patch\n*** Update File: {call.target}\n@@\n-{call.old}\n+{call.new}\n*** End Patch\n"
