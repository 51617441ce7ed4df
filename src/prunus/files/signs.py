"""Signs in calls and results that a file may have been changed, or cannot have been."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from prunus.clients.dialect import names, pattern, words
from prunus.history import Call

_ELSEWHERE: Final = re.compile(r"modified since (?:it was )?(?:last )?read|unexpectedly modified|was modified")
_CHANGES: Final = re.compile(
    r"(?:write|edit|replace|insert|rename|move|delete|remove|apply|patch|format|refactor)_?\w*"
    r"(?:file|symbol|line|text|body|content|code|patch|regex)|(?:^|_)(?:run|exec|execute|shell|terminal|bash|command"
    r"|script|python|ipython|code)(?:_|$)|agent(?!v)|(?:^|_)task(?:_|$)",
    re.I,
)
_LONGEST_NAME: Final = 256
"""Characters; providers refuse names of tools beyond 64 or 128."""
_RUNNING: Final = pattern("running", r"<pid>\d+</pid>", flags=re.I)
_ENDED: Final = pattern("ended", flags=re.M)
_EXPLORING: Final = names("exploring_agents")
_POLLING: Final = names("polling_tools")
CHECKED_EDITS: Final = names("checked_edits")
"""The tools of agents that notice changes by others and tell the model."""
_MADE: Final = pattern("edit_made")
_DONE: Final = pattern("edit_done")
_A_LETTER: Final = 4000
"""The most characters of a message that a user has typed; a longer one is pasted text."""
_SAID: Final = re.compile(
    r"\b(?:I|we)(?:'ve| have)?(?: (?:just|already|also|manually))* (?:added|adjusted|changed|deleted|edited|fixed"
    r"|formatted|modified|moved|reformatted|removed|renamed|replaced|restored|reverted|rewrote|tweaked|undid|updated)\b",
    re.I,
)
_UNCHANGED: Final = pattern("unchanged")
_DENIED: Final = re.compile(rf"\s*(?:{'|'.join(words('denied'))})")


def noted_changes(text: str) -> Iterator[str]:
    """The files of which an agent says that somebody else has changed them."""
    for read in words("noted_changes"):
        yield from read(text)


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
    """Whether a call only asks for the output of a running command, or ends it, and writes nothing to it."""
    writes = isinstance(call.input, Mapping) and call.input.get("chars")
    return call.tool in _POLLING and not writes


def explores(call: Call) -> bool:
    """Whether a sub-agent can only read files, not change them."""
    if not isinstance(call.input, Mapping):
        return False
    return str(call.input.get("subagent_type") or "").lower() in _EXPLORING


def proves_unchanged(tool: str, text: str) -> bool:
    """Whether an edit proves that nobody else has changed the file since the agent saw it last.

    Some agents refuse to edit a file that was changed after their last read, write or edit of it. If such an agent
    notices a change by somebody else, it says so (`noted_changes`).
    """
    return tool in CHECKED_EDITS and _MADE.match(text) is not None


def ended_tasks(text: str) -> Iterator[str]:
    """The ids of background commands and background agents that have ended, according to a text."""
    for read in words("ended_tasks"):
        yield from read(text)


def user_changed(text: str) -> bool:
    """Whether users say that they have changed something themselves."""
    return len(text) < _A_LETTER and _SAID.search(text) is not None


def says_unchanged(text: str) -> bool:
    """Whether a read was not made because the file is as it was when the agent saw it last."""
    return _UNCHANGED.match(text) is not None


def tells_success(text: str) -> bool:
    """Whether a result says that an edit was made, in words that `calls` does not know."""
    return _DONE.match(text) is not None


def refused(text: str) -> bool:
    """Whether a call was never executed, because the user or the client refused it."""
    return _DENIED.match(text) is not None


_COLOURS: Final = re.compile(r"\x1b\[[\d;]*m")
_UNREADABLE: Final = re.compile(
    r"(?:[\w./-]*sh|-c)(?:: ?(?:-c|eval|line \d+|\d+))*: (?:unmatched [\"'`]|parse error\b|syntax error\b"
    r"|unexpected EOF while looking|[Ss]yntax error: |Unterminated quoted|bad substitution|event not found).*"
    r"|(?:[\w./-]*sh)(?:: ?(?:-c|line \d+|\d+))*: [`'].*"
)
"""Messages of shells about a line that they cannot read; bash repeats the line behind a quote."""
_STILLBORN: Final = re.compile(r"\s*\d+ \[main\] \w+ \(?\d+\)? (?>.*\*\*\* fatal error - ).*")
"""A shell of Cygwin that could not start."""
_UNKNOWN_TERM: Final = re.compile(r"The term '([^'\n]+)' is not recognized as (?:a|the) name of a cmdlet")


def never_ran(command: str, output: str) -> bool:
    """Whether nothing of a command was carried out, because the shell could not read it or did not start."""
    if len(output) > 2000:
        return False
    lines = [line for line in _COLOURS.sub("", output).split("\n") if line.strip()]
    if lines and re.fullmatch(r"Exit code \d+", lines[0]):
        del lines[0]
    if not lines:
        return False
    if len(lines) == 1 and _STILLBORN.fullmatch(lines[0]):
        return True
    if (named := _UNKNOWN_TERM.search(lines[0])) is not None:
        return named[1] in command and not re.search(r"[;|\n]|&&", command.strip().removeprefix("&"))
    return "\n" not in command.strip() and all(map(_UNREADABLE.fullmatch, lines))
