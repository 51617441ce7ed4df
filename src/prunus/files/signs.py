"""Signs in calls and results that a file may have been changed, or cannot have been."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from prunus.history import Call

_NOTE: Final = re.compile(r"Note: (?=\S)")
_NOTED: Final = re.compile(r" was modified, either by the user or by a linter")
_ELSEWHERE: Final = re.compile(r"modified since (?:it was )?(?:last )?read|unexpectedly modified|was modified")
_CHANGES: Final = re.compile(
    r"(?:write|edit|replace|insert|rename|move|delete|remove|apply|patch|format|refactor)_?\w*"
    r"(?:file|symbol|line|text|body|content|code|patch|regex)|(?:^|_)(?:run|exec|execute|shell|terminal|bash|command"
    r"|script|python|ipython|code)(?:_|$)|agent(?!v)|(?:^|_)task(?:_|$)",
    re.I,
)
_LONGEST_NAME: Final = 256
"""Characters; providers refuse names of tools beyond 64 or 128."""
_RUNNING: Final = re.compile(
    r"Process running with session ID|running in (?:the )?background|backgrounded by user|Async agent launched"
    r"|<pid>\d+</pid>",
    re.I,
)
_ENDED: Final = re.compile(r"^Process exited with code|<status>(?:completed|killed|failed)</status>", re.M)
_TASK: Final = re.compile(r"<task-id>([^<\n]+)</task-id>")
_LOOKERS: Final = frozenset({"explore", "plan", "claude-code-guide"})
"""Sub-agents that have no tool to change a file with."""
_POLLS: Final = frozenset({"BashOutput", "KillShell", "read_bash", "stop_bash", "read_background_output"})
TELLS_OF_CHANGES: Final = frozenset({"Edit", "MultiEdit", "Write"})
"""The tools of Claude Code, which takes note of changes by others and tells the model."""
_MADE: Final = re.compile(r"\s*(?:The file \S.* has been updated|Applied \d+ edits? to )")
_A_LETTER: Final = 4000
"""Characters; longer texts are pasted."""
_SAID: Final = re.compile(
    r"\b(?:I|we)(?:'ve| have)?(?: (?:just|already|also|manually))* (?:added|adjusted|changed|deleted|edited|fixed"
    r"|formatted|modified|moved|reformatted|removed|renamed|replaced|restored|reverted|rewrote|tweaked|undid|updated)\b",
    re.I,
)
_SAME: Final = re.compile(r"\s*(?:File )?[Uu]nchanged since (?:the )?last read\b")
_REFUSED: Final = re.compile(
    r"\s*(?:The user doesn't want to (?:proceed|take this action)|The user rejected permission"
    r"|Permission to use \w+ (?:with command|has been denied)|This command requires approval"
    r"|<tool_use_error>(?:InputValidationError|Error: No such tool|Blocked)|Error: No such tool available)"
)
_UPDATED: Final = re.compile(r"File \S.* updated with changes\.")  # Copilot CLI


def noted_changes(text: str) -> Iterator[str]:
    """The files that Claude Code says somebody else has changed."""
    at = 0
    for end in _NOTED.finditer(text):
        line = max(at, text.rfind("\n", at, end.start()) + 1)
        if (start := _NOTE.search(text, line, end.start())) and start.end() < end.start():
            yield text[start.end() : end.start()]
        at = end.end()


def changed_elsewhere(text: str) -> bool:
    """Whether an edit was refused because somebody else has changed the file."""
    return _ELSEWHERE.search(text[:400]) is not None


def changes_files(tool: str) -> bool:
    """Whether the name of an unknown tool says that it changes files."""
    return len(tool) > _LONGEST_NAME or _CHANGES.search(tool) is not None


def goes_on(call: Call, text: str) -> bool:
    """Whether a command still runs after its result came."""
    return _RUNNING.search(text[:400]) is not None or "run_in_background" in call.text


def ended(text: str) -> bool:
    """Whether a result says that a running command has ended."""
    return _ENDED.search(text[:600]) is not None


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


def proves_unchanged(tool: str, text: str) -> bool:
    """Whether an edit was only made because nobody has changed the file since the agent saw it last.

    Claude Code compares the time of the last change with that of its last read, write or edit, and refuses. Where
    it takes note of a change by itself, it says so (`noted_changes`).
    """
    return tool in TELLS_OF_CHANGES and _MADE.match(text) is not None


def tasks_ended(text: str) -> list[str]:
    """The commands and agents in the background of which Claude Code says that they have ended, by their ids."""
    return _TASK.findall(text) if "<task-notification>" in text else []


def user_changed(text: str) -> bool:
    """Whether users say that they have changed something themselves."""
    return len(text) < _A_LETTER and _SAID.search(text) is not None


def says_unchanged(text: str) -> bool:
    """Whether a read was not made because the file is as it was when the agent saw it last."""
    return _SAME.match(text) is not None


def tells_success(text: str) -> bool:
    """Whether a result says that an edit was made, in words that `tools` does not know."""
    return _UPDATED.match(text) is not None


def refused(text: str) -> bool:
    """Whether a call was not made at all, because the user or the client said no."""
    return _REFUSED.match(text) is not None
