"""Commands that never ran: the shell could not read them, or found no such program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from prunus.shell.programs import ShellStep, steps

_COLOURS: Final = re.compile(r"\x1b\[[\d;]*m")
_UNREADABLE: Final = re.compile(
    r"(?:[\w./-]*sh|-c)(?:: ?(?:-c|eval|line \d+|\d+))*: (?:unmatched [\"'`]|parse error\b|syntax error\b"
    r"|unexpected EOF while looking|[Ss]yntax error: |Unterminated quoted|bad substitution|event not found).*"
    r"|(?:[\w./-]*sh)(?:: ?(?:-c|line \d+|\d+))*: [`'].*"
)
"""Messages of shells about a line that they cannot read; bash repeats the line behind a quote."""
_SHELL: Final = r"(?:[\w./-]*sh(?:\.exe)?: ?(?:-c: )?(?:line \d+: |\d+: ?)?)?"
_UNFOUND: Final = re.compile(
    _SHELL + r"(?:command not found: (?P<zsh>\S+)|(?P<bash>[^\s:]+): (?:command )?not found"
    r"|(?P<file>[^\s:]+): No such file or directory)"
    r"|(?:\S*/)?python[\d.]*: can't open file '(?P<script>[^'\n]+)': \[Errno 2\].*"
)
_STILLBORN: Final = re.compile(r"\s*\d+ \[main\] \w+ \(?\d+\)? (?>.*\*\*\* fatal error - ).*")
"""A shell of Cygwin that could not start."""
_UNKNOWN_TERM: Final = re.compile(r"The term '([^'\n]+)' is not recognized as (?:a|the) name of a cmdlet")


def never_ran(command: str, output: str) -> bool:
    """Whether nothing of a command was carried out.

    A shell reads a line to its end before it starts; a program that is not there stops everything that only runs
    after it.
    """
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
    if "\n" not in command.strip() and all(map(_UNREADABLE.fullmatch, lines)):
        return True
    found = _UNFOUND.fullmatch(lines[0])
    script = steps(command)
    if found is None or len(lines) > 1 or not script:
        return False
    first = _first_that_acts(script)
    if first is None or any(step.simple.conditional for step in script):
        return False
    words = first.texts
    named_by = next(name for name in found.groups() if name)
    if found["script"]:
        return any(named_by == word or named_by.endswith("/" + word.removeprefix("./")) for word in words[1:2])
    return words[:1] == [named_by]


def _first_that_acts(script: Sequence[ShellStep]) -> ShellStep | None:
    """The first command after changes of folder, if all others run only when it succeeds."""
    for at, step in enumerate(script):
        if step.name == "cd":
            continue
        rest = script[at + 1 :]
        alone = not any(each.simple.outputs or each.simple.others for each in script[at:])
        return step if alone and all(each.simple.joint == "&&" for each in rest) else None
    return None
