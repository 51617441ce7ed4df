"""Read a command as the programs that it runs, each in its folder.

Everything that looks into a command starts from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from prunus.calls.paths import join
from prunus.shell.changes import NOTHING, Changes
from prunus.shell.printing import Printed
from prunus.shell.programs import Program, changes_of, program_of
from prunus.shell.tasks import ProgramKind, tasks_of, without_runners
from prunus.shell.words import Simple, Word, simples


class ShellStep(NamedTuple):
    """One simple command of a script, with the program that it runs."""

    simple: Simple
    words: Sequence[Word]
    """The words without runners in front, such as sudo, env or npx."""
    name: str
    """The program without its folder; empty if the command runs none."""
    program: Program
    folder: str | None
    """The folder in which the step runs, seen from the one in which the command starts; None if it is not known."""
    changes: Changes
    """What the program and its redirections change, seen from the folder in which the command starts."""

    @property
    def texts(self) -> list[str]:
        """The words of the program as texts."""
        return [word.text for word in self.words]

    @property
    def kind(self) -> ProgramKind:
        """What the program does to files that it is not given by name."""
        program = self.program
        return program.kind_of(tasks_of(self.words[1:])) if program.kind_of else program.kind

    @property
    def printed(self) -> Printed | None:
        """The lines that the program prints; None if printing lines is not all it does."""
        return self.program.prints(self.words[1:]) if self.program.prints else None


@lru_cache(maxsize=32)
def steps(command: str) -> tuple[ShellStep, ...] | None:
    """The programs that a command runs, in order; None if the command cannot be read.

    The newest commands are kept, as several readers look at the same one when its call comes in.
    """
    script = simples(command)
    if script is None:
        return None
    return tuple(_in_folders(_with_piped_heredocs(script) if "<<" in command else script))


def _with_piped_heredocs(script: Sequence[Simple]) -> Sequence[Simple]:
    """A script in which a heredoc that `cat` only passes on belongs to the program behind the pipe."""
    found = list(script)
    for at, (simple, after) in enumerate(pairwise(script)):
        passes_on = simple.heredoc is not None and simple.words == (Word("cat"),) and not simple.outputs
        if passes_on and after.joint == "|" and after.heredoc is None and not after.inputs:
            found[at] = simple._replace(heredoc=None)
            found[at + 1] = after._replace(heredoc=simple.heredoc)
    return found


def _in_folders(script: Sequence[Simple]) -> Iterator[ShellStep]:
    """The steps of a script, each in the folder to which the steps before it have changed."""
    folders: list[str | None] = [""]
    """The folder at each depth of parentheses."""
    for at, simple in enumerate(script):
        del folders[simple.depth + 1 :]
        folders += folders[-1:] * (simple.depth + 1 - len(folders))
        step = step_of(simple, folders[-1])
        yield step
        piped = any(each.joint == "|" for each in (simple, *script[at + 1 : at + 2]))
        if step.name in ("cd", "pushd") and not piped:
            folders[-1] = _entered(folders[-1], step.words[1:])


def _entered(folder: str | None, words: Sequence[Word]) -> str | None:
    """The folder after a change of folder; None if it is not known."""
    if len(words) != 1 or not words[0].certain or words[0].text.startswith("-"):
        return None
    target = words[0].text
    if folder is None:
        return join("", target) if target[:1] in "/~" else None
    return join(folder, target)


def step_of(simple: Simple, folder: str | None = "") -> ShellStep:
    """One simple command with its program, run in a folder."""
    words = without_runners(simple.words)
    name, program = program_of(words)
    found = changes_of(program, words[1:], simple)
    if folder and found is not NOTHING:
        found = found.below(folder)
    return ShellStep(simple, words, name, program, folder, found)


def pipelines(script: Sequence[ShellStep]) -> Iterator[tuple[ShellStep, ...]]:
    """Groups of steps that are joined by pipes."""
    group: list[ShellStep] = []
    for step in script:
        if group and step.simple.joint != "|":
            yield tuple(group)
            group = []
        group.append(step)
    if group:
        yield tuple(group)
