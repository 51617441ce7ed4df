"""Claude Code, 1.x to 2.1; it tags refusals and shortened results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from prunus.calls.meaning import Tool
from prunus.clients.dialect import Dialect

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

_NOTE: Final = re.compile(r"Note: (?=\S)")
_NOTED: Final = re.compile(r" was modified, either by the user or by a linter")
_TASK: Final = re.compile(r"<task-id>([^<\n]+)</task-id>")


def _noted_changes(text: str) -> Iterator[str]:
    at = 0
    for end in _NOTED.finditer(text):
        line = max(at, text.rfind("\n", at, end.start()) + 1)
        if (start := _NOTE.search(text, line, end.start())) and start.end() < end.start():
            yield text[start.end() : end.start()]
        at = end.end()


def _ended_tasks(text: str) -> list[str]:
    return _TASK.findall(text) if "<task-notification>" in text else []


def _from_subagent(headers: Mapping[str, str], system: bytes) -> bool:
    return bool(headers.get("x-claude-code-agent-id")) or b"cc_is_subagent=true" in system[:4096]


DIALECT: Final = Dialect(
    exit_code_first=r"Exit code (-?\d+)\b",
    aborted=r"Command timed out after|\A\[Request interrupted",
    refused=r"<tool_use_error>|The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user"
    r"|(?:Error: )?No such tool available|InputValidationError",
    cut_first="<persisted-output>",
    process_id=r"(?:running in background|backgrounded by user) with ID: (\w+)",
    process_keys=("bash_id", "shell_id", "task_id"),
    polling_tools=("BashOutput", "KillShell"),
    running="running in (?:the )?background|backgrounded by user|Async agent launched",
    ended="<status>(?:completed|killed|failed)</status>",
    ended_tasks=_ended_tasks,
    unchanged=r"\s*(?:File )?[Uu]nchanged since (?:the )?last read\b",
    checked_edits=("Edit", "MultiEdit", "Write"),
    line_removers=("Edit", "MultiEdit"),
    edit_made=r"\s*(?:The file \S.* has been updated|Applied \d+ edits? to )",
    noted_changes=_noted_changes,
    denied="The user doesn't want to (?:proceed|take this action)|This command requires approval"
    r"|Permission to use \w+ (?:with command|has been denied)"
    "|<tool_use_error>(?:InputValidationError|Error: No such tool|Blocked)|Error: No such tool available",
    folder=r"orking directory:\s*",
    announced_command=r"<command-message>[^<]*+</command-message>\s*+<command-name>/([^<]*+)</command-name>"
    r"(?:\s*+<command-args>[^<]*+</command-args>)?+",
    session_headers=("x-claude-code-agent-id", "x-claude-code-session-id"),
    from_subagent=_from_subagent,
    summary_task=("Your task is to create a detailed summary of", "Do NOT call any tools"),
    exploring_agents=("explore", "plan", "claude-code-guide"),
)
