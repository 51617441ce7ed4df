"""The words that agents put around results and prompts.

A dialect lists the words of one agent. Modules that read results ask for the words of all agents together, since a
conversation does not say which agent it comes from. Most fields hold the source of a regular expression; `pattern`
joins those of all agents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from prunus.calls.meaning import Kind
from prunus.calls.shown import Shown
from prunus.clients.client import ALL

_PATH: Final = rb"((?:/|~/|[A-Za-z]:(?:/|\\\\))(?:[^\s<>\"'`\\]|\\\\)*+)"
"""In JSON a line break is a backslash with a letter behind it, and a backslash is two of them."""
_BEFORE_COMPACTION: Final = 1.2
"""A window of so many times the tokens at which the agent compacts is three quarters full a tenth before that."""


class InnerCall(NamedTuple):
    """The one tool call that a script makes."""

    name: str
    arguments: dict[str, Any] | str
    shows_all: bool
    """The script prints the whole output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The words of one agent; each field is empty if the agent has no such words."""

    exit_code_first: str = ""
    """At the front of the result of a command. The group is the exit code."""
    exit_code_last: str = ""
    """At the end of the result of a command, from the start of a line. The group is the exit code."""
    aborted: str = ""
    """At the start of a line, in the short result of a command that was stopped."""
    refused: str = ""
    """At the front of the result of a call that was not made, whatever the tool."""
    output: Callable[[str], str | None] | None = None
    """Returns the output of a command without the words around it; None if the result is not of this agent."""
    headed: Callable[[str], tuple[str, str] | None] | None = None
    """Returns the line that says how the command ended, and the output below it; None as above."""
    comparable: Callable[[str], str | None] | None = None
    """Returns a result without the values that differ between two equal calls, such as times; None as above."""
    cut_first: str = ""
    """Near the front of a result that the agent has shortened."""
    cut_last: str = ""
    """Near the end of such a result."""
    cut_within: str = ""
    """Anywhere in such a result."""
    process_id: str = ""
    """Near the front of the result of a command that goes on in the background. The group is the command's id."""
    process_keys: tuple[str, ...] = ()
    """The arguments by which a call names such a command."""
    polling_tools: tuple[str, ...] = ()
    """The tools that ask what such a command has printed, or end it."""
    running: str = ""
    """Near the front of a result: the command goes on in the background."""
    ended: str = ""
    """Near the front of a result: a command in the background has ended."""
    ended_tasks: Callable[[str], Sequence[str]] | None = None
    """The ids of the commands and agents of which a prompt says that they have ended."""
    readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Shown | None]], ...] = ()
    """Headers that stand before the lines of a file, and what reads the lines below each."""
    foot: str = ""
    """Below lines of a file of which more lines follow."""
    updated_code: str = ""
    """Above the lines that an edit has changed, in a result that shows them without numbers."""
    window: Callable[[str], Shown | None] | None = None
    """Reads the part of an open file that stands below the result of every command."""
    open_file: str = ""
    """A line of such a result. The group is the path of the open file."""
    unchanged: str = ""
    """At the front of the result of a read that was not made, since the file has not changed."""
    checked_edits: tuple[str, ...] = ()
    """The tools that refuse to change a file which somebody else has changed since the agent saw it."""
    edit_made: str = ""
    """At the front of the result of such a tool if it has changed the file."""
    line_removers: tuple[str, ...] = ()
    """The tools that also remove the line break if an edit removes the whole text of a line."""
    edit_done: str = ""
    """At the front of the result of any other tool that has changed a file."""
    noted_changes: Callable[[str], Iterable[str]] | None = None
    """The files of which a prompt says that somebody else has changed them."""
    denied: str = ""
    """At the front of the result of a call that the user or the agent has forbidden."""
    own_command: Callable[[str], tuple[Kind, str] | None] | None = None
    """The kind and the key of a command that is the agent's own; None if the command is for the shell."""
    inner_call: Callable[[str], InnerCall | None] | None = None
    """The tool call that a script makes; None if the script makes none, or several."""
    folder: str = ""
    """Before the working folder in the first prompt."""
    announced_command: str = ""
    """The whole text before the prompt of a slash command. The group is the name of the command."""
    session_headers: tuple[str, ...] = ()
    """The headers of a request that name its conversation, the best first."""
    from_subagent: Callable[[Mapping[str, str], bytes], bool] | None = None
    """Whether a sub-agent sent a request with these headers, in lower case, and this system text, as JSON."""
    summary_task: tuple[str, str] | None = None
    """Two texts that stand together only in a prompt for a summary, or a memory, of the whole history."""
    compaction_item: str = ""
    """The type of the item that asks the provider itself to compact the history."""
    user_agent: str = ""
    """The beginning of the name under which the agent sends requests, in lower case."""
    compacts_at: float = 1.0
    """The share of the model's window at which the agent compacts its history by itself."""
    exploring_agents: tuple[str, ...] = ()
    """Kinds of sub-agents that have no tool to change a file with, in lower case."""


@cache
def dialects() -> Mapping[str, Dialect]:
    """The dialects of all agents that have words of their own, by the name of the agent."""
    found = {client.name: getattr(client.module(), "DIALECT", None) for client in ALL}
    return {name: dialect for name, dialect in found.items() if dialect is not None}


@cache
def words(field: str) -> tuple[Any, ...]:
    """The values of one field, from every dialect in which the field is not empty."""
    found = (getattr(dialect, field) for dialect in dialects().values())
    return tuple(value for value in found if value)


def names(field: str) -> frozenset[str]:
    """All names that the dialects list in a field."""
    return frozenset(name for listed in words(field) for name in listed)


def pattern(field: str, *more: str, flags: int = 0) -> re.Pattern[str]:
    """One pattern for the expressions that all dialects have in a field, and for further ones."""
    return re.compile("|".join((*words(field), *more)), flags)


def json_output(text: str) -> str:
    """The output in a result that is a JSON object; the whole text if there is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    output = found.get("output") if isinstance(found, dict) else None
    return output if isinstance(output, str) else text


def inner_call(script: str) -> InnerCall | None:
    """The tool call that a script in the language of some agent makes; None if there is not exactly one."""
    return next((found for read in words("inner_call") if (found := read(script)) is not None), None)


@cache
def _folders() -> tuple[re.Pattern[bytes], ...]:
    """One pattern for each agent: a search that begins with plain letters is quick."""
    return tuple(re.compile(word.encode() + _PATH) for word in words("folder"))


def project_of(*texts: bytes) -> str:
    """The folder that an agent works in, by the first of these JSON texts that names it; empty if none does."""
    for text in texts:
        found = next((found for folder in _folders() if (found := folder.search(text))), None)
        if found is not None:
            path = found[1].replace(b"\\\\", b"\\").decode("utf-8", "replace")
            return path.rstrip(".,;") or path
    return ""


def window_before_compaction(client: str, window: int) -> int:
    """Return the tokens of a model's window that count for pressure with this agent.

    Pressure is high from three quarters of the window on, and pruning under pressure has to come before the agent
    compacts its history by itself. Most agents compact later than that, so the whole window counts. `client` is the
    name that the agent sends with its requests.
    """
    known = (dialect for dialect in dialects().values() if dialect.user_agent)
    share = next((dialect.compacts_at for dialect in known if client.startswith(dialect.user_agent)), 1.0)
    return min(window, round(_BEFORE_COMPACTION * share * window))
