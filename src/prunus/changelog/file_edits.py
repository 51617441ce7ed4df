"""The changes of one call as the changelog counts them: texts that became others, file by file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from prunus.calls.changes import (
    Append,
    Delete,
    FileChange,
    Insert,
    Lines,
    Patched,
    Rename,
    Replace,
    Unclear,
    Undo,
    Write,
)
from prunus.shell.changes import Incidental, Record, Restore, Stash
from prunus.shell.shell_command import steps_of
from prunus.shell.steps import ShellStep

EditVerb = Literal["written", "edited", "appended", "deleted", "renamed", "undone"]

_LARGE: Final = 4_000_000
"""Pairs of lines beyond which two texts are compared as bags of lines."""
_MOST: Final = 100_000
"""Lines that one change may count as removed; no real edit names more."""
_TROUBLE: Final = re.compile(
    r"^(?:\S+: )?(?:g?sed|perl|cp|mv|rm|tee|git|patch|error|fatal): [^\n]*"
    r"(?:can't read|cannot|No such file|not found|did not match|does not apply|patch failed|Permission denied)",
    re.M,
)


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file that a call changes."""

    path: str
    verb: EditVerb
    """`undone` if an editor takes back the last change of the file."""
    texts: tuple[Replace, ...] = ()
    whole: str | None = None
    """The whole file afterwards, if the call shows it."""
    exact: bool = True
    """The texts are everything that changes."""
    source: str = ""
    """The path of a renamed file before."""


LoggedAction = FileEdit | Restore | Record | Stash


def edits_of(changes: Sequence[FileChange], path: str) -> tuple[FileEdit, ...]:
    """The edits of a call of a writing or editing tool; `path` is the file that the call names, if any."""
    if patched := [change for change in changes if isinstance(change, Patched)]:
        return tuple(map(_patched, patched))
    return (_edit(path, changes),) if path else ()


def edits_of_command(command: str, result: str, failed: bool) -> tuple[LoggedAction, ...] | None:
    """The edits of a shell command; None if all of it failed.

    A command that fails after it changed a file, such as `sed -i ... && make test`, has changed it all the same.
    """
    script = steps_of(command)
    if script is None:
        return None if failed else ()
    done = [tuple(_actions(step)) for step in script]
    if failed and (not any(done[:-1]) or _TROUBLE.search(result[-4_000:])):
        return None
    return tuple(action for actions in (done[:-1] if failed else done) for action in actions)


def _actions(step: ShellStep) -> Iterator[LoggedAction]:
    """What the changelog counts of the changes of one step."""
    found = step.changes
    for file in found.files:
        if not isinstance(file.change, Incidental):
            yield _edit(file.path, (file.change,))
    yield from map(_patched, found.patch)
    if found.git is not None:
        yield found.git


def _edit(path: str, changes: Sequence[FileChange]) -> FileEdit:
    """The changes that one call makes to one file."""
    match changes:
        case (Undo(),):
            return FileEdit(path, "undone")
        case (Write(text),):
            return FileEdit(path, "written", whole=text, exact=text is not None)
        case (Append(text),):
            return FileEdit(path, "appended", () if text is None else (Replace("", text),), exact=text is not None)
        case (Delete(),):
            return FileEdit(path, "deleted")
        case (Rename(source),):
            return FileEdit(path, "renamed", source=source)
    texts = tuple(text for change in changes for text in _replaced(change))
    clear = bool(texts) and not any(isinstance(change, Unclear) for change in changes)
    return FileEdit(path, "edited", texts, exact=clear)


def _replaced(change: FileChange) -> Iterator[Replace]:
    """The text that a change replaces, and the new text; nothing if the call shows neither."""
    match change:
        case Replace():
            yield change
        case Insert(_, text):
            yield Replace("", text)
        case Lines(start, end, text):
            # Nobody has shown these lines; they count, and equal no others.
            yield Replace("\0\n" * max(min(end - start + 1, _MOST), 0), text)
        case Unclear(text) if text:
            yield Replace("", text)


def _patched(file: Patched) -> FileEdit:
    texts = tuple(Replace("\n".join(h.old), "\n".join(h.new)) for h in file.hunks if h.old != h.new)
    match file.verb:
        case "Add":
            return FileEdit(file.path, "written", whole=file.text)
        case "Delete":
            return FileEdit(file.path, "deleted", texts)
    if file.target and file.target != file.path:
        return FileEdit(file.target, "renamed", texts, source=file.path)
    return FileEdit(file.path, "edited", texts)


def line_counts(old: str, new: str) -> tuple[int, int]:
    """How many lines come and how many go when one text becomes the other."""
    before, after = differing_lines(old, new)
    if len(before) * len(after) > _LARGE:
        first, second = Counter(before), Counter(after)
        return (second - first).total(), (first - second).total()
    added = removed = 0
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            removed += b - a
            added += d - c
    return added, removed


def differing_lines(old: str, new: str) -> tuple[Sequence[str], Sequence[str]]:
    """The lines of both texts without those that they share at the beginning and at the end."""
    before, after = old.splitlines(), new.splitlines()
    start = 0
    most = min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]
