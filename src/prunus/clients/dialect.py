"""The words that agents put around results and prompts.

A dialect lists the words of one agent. Modules that read results ask for the words of all agents together, since a
conversation does not say which agent it comes from. Most fields hold the source of a regular expression; `pattern`
joins those of all agents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from prunus.clients.client import modules


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The words of one agent; each field is empty if the agent has no such words."""

    exit_code_first: str = ""
    """At the front of the result of a command. The group is the exit code."""
    exit_code_last: str = ""
    """At the end of the result of a command, from the start of a line. The group is the exit code."""
    aborted: str = ""
    """In the short result of a command that was stopped."""
    refused: str = ""
    """At the front of the result of a call that was not made, whatever the tool."""
    output: Callable[[str], str | None] | None = None
    """What a command printed, without the words around it; None if the result is not of this agent."""
    headed: Callable[[str], tuple[str, str] | None] | None = None
    """The line above the output that says how the command ended, and the output; None as above."""
    comparable: Callable[[str], str | None] | None = None
    """A result without what differs between two equal calls, such as times; None as above."""
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


@cache
def words(field: str) -> tuple[Any, ...]:
    """That field of every dialect that has it."""
    found = (getattr(module.DIALECT, field) for module in modules("dialect"))
    return tuple(value for value in found if value)


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
