"""What a command spells out: a listing, a plain move, a text that it writes as it is, a text that it replaces."""

from __future__ import annotations

from collections.abc import Iterator

from prunus.calls.changes import Rename, Write
from prunus.calls.paths import join
from prunus.shell import powershell
from prunus.shell.changes import PathChange, is_named_file
from prunus.shell.seeking import by_powershell
from prunus.shell.shell_command import steps_of


def only_move(command: str) -> tuple[str, str] | None:
    """The old and the new path of the one file that a command renames, if that is all the command does."""
    script = steps_of(command) if "mv" in command else None
    if script is None or len(script) != 1 or script[0].simple.conditional:
        return None
    match script[0].changes.files:
        case (PathChange(target, Rename(source)),) if is_named_file(source) and is_named_file(target):
            return join("", source), join("", target)
    return None


def written_texts(command: str) -> dict[str, str]:
    """The texts that a command writes to files exactly as it spells them, by path."""
    found: dict[str, str] = {}
    for step in steps_of(command) or ():
        for file in step.changes.files:
            match file.change:
                case Write(str(text), True) if step.folder is not None:
                    found[join("", file.path)] = text
    return found


def lists_places(command: str) -> bool:
    """Whether a command prints paths, or lines that it finds in files; what a pipe brings does not count."""
    return any(
        step.program.lists or (step.name == "git" and step.texts[1:2] in (["grep"], ["ls-files"]))
        for step in steps_of(command) or ()
        if step.simple.joint != "|"
    )


def texts_sought(command: str) -> Iterator[str]:
    """The texts that the edits of a command look for, each as far as its text is certain.

    An agent can only name them if it has seen them.
    """
    if powershell.looks_like(command):
        yield from by_powershell(command)
    for step in steps_of(command) or ():
        if step.program.seeks is not None:
            yield from step.program.seeks(step.words[1:], step.simple)
