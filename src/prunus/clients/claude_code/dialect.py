"""Claude Code tags refusals and shortened results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from prunus.clients.dialect import Dialect

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
