"""Signs in calls and results that a file may have been changed, or cannot have been."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from prunus.history import Call

__all__ = [
    "changed_elsewhere",
    "changes_files",
    "explores",
    "goes_on",
    "noted_changes",
    "only_looks",
    "tells_success",
]

_NOTED: Final = re.compile(r"Note: (\S[^\n]*?) was modified, either by the user or by a linter")
_ELSEWHERE: Final = re.compile(r"modified since (?:it was )?(?:last )?read|unexpectedly modified|was modified")
_CHANGES: Final = re.compile(
    r"(?:write|edit|replace|insert|rename|move|delete|remove|apply|patch|format|refactor)_?\w*"
    r"(?:file|symbol|line|text|body|content|code|patch|regex)|(?:^|_)(?:run|exec|execute|shell|terminal|bash|command"
    r"|script|python|ipython|code)(?:_|$)|agent(?!v)|(?:^|_)task(?:_|$)",
    re.I,
)
_RUNNING: Final = re.compile(r"Process running with session ID|running in background|<pid>\d+</pid>", re.I)
_LOOKERS: Final = frozenset({"explore", "plan", "claude-code-guide"})
"""Sub-agents that have no tool to change a file with."""
_POLLS: Final = frozenset({"BashOutput", "KillShell", "read_bash", "stop_bash", "read_background_output"})
_UPDATED: Final = re.compile(r"File \S.* updated with changes\.")  # Copilot CLI


def noted_changes(text: str) -> Iterator[str]:
    """The files that Claude Code says somebody else has changed."""
    return (found[1] for found in _NOTED.finditer(text))


def changed_elsewhere(text: str) -> bool:
    """Whether an edit was refused because somebody else has changed the file."""
    return _ELSEWHERE.search(text[:400]) is not None


def changes_files(tool: str) -> bool:
    """Whether the name of an unknown tool says that it changes files."""
    return _CHANGES.search(tool) is not None


def goes_on(call: Call, text: str) -> bool:
    """Whether a command still runs after its result came."""
    return _RUNNING.search(text[:400]) is not None or "run_in_background" in call.text


def only_looks(call: Call) -> bool:
    """Whether a call only asks what a running command has printed, or ends it."""
    if call.tool == "write_stdin":
        return not (isinstance(call.input, Mapping) and call.input.get("chars"))
    return call.tool in _POLLS


def explores(call: Call) -> bool:
    """Whether a sub-agent can only look."""
    if not isinstance(call.input, Mapping):
        return False
    return str(call.input.get("subagent_type") or "").lower() in _LOOKERS


def tells_success(text: str) -> bool:
    """Whether a result says that an edit was made, in words that `tools` does not know."""
    return _UPDATED.match(text) is not None
