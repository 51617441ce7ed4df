"""The changes of files that a shell command spells out: texts that it writes, renames, deletions, patches, git."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prunus.calls.changes import Append, Delete, FileChange, Patch, Rename, Unclear, Write, patched_files
from prunus.calls.paths import join
from prunus.shell import powershell
from prunus.shell.git import Record, Restore, Stash, git_records, read_git
from prunus.shell.programs import ShellStep, steps
from prunus.shell.words import Word

_FILE = re.compile(r"[^\s]*[^\s/]\.[A-Za-z]\w{0,9}")


@dataclass(frozen=True, slots=True)
class PathChange:
    """A change of one file, by the path that the command spells."""

    path: str
    change: FileChange


ShellEffect = PathChange | Patch | Restore | Record | Stash


def effects(step: ShellStep) -> Iterator[ShellEffect]:
    """Return what one command does to files.

    A file that only receives the output of a program, such as a log, does not count.
    """
    simple, words = step.simple, step.words[1:]
    match step.name:
        case "git":
            yield from _git(step)
        case "apply_patch" | "applypatch":
            yield from _patch(simple.heredoc or "\n".join(word.text for word in words))
        case "cat" | "echo" | "printf" | "tee":
            yield from _printed(step)
        case "mv" | "move":
            yield from _moved(words)
        case "rm" | "unlink" | "del" | "erase":
            yield from (PathChange(word.text, Delete()) for word in step.changed.files)
        case "curl" | "wget":
            return
        case "patch" if simple.heredoc and (found := tuple(_patch(simple.heredoc))):
            yield from found
        case _:
            yield from (PathChange(word.text, Unclear()) for word in step.changed.files)


def _patch(text: str) -> Iterator[Patch]:
    if files := patched_files(text):
        yield Patch(files)


def _printed(step: ShellStep) -> Iterator[PathChange]:
    """Files that `cat`, `echo`, `printf` or `tee` writes."""
    simple, words = step.simple, step.words[1:]
    operands = [word for word in words if not word.text.startswith("-")]
    text = simple.heredoc
    if text is None and step.name in ("echo", "printf") and all(word.certain for word in operands):
        text = " ".join(word.text for word in operands) + "\n"
    verbatim = simple.verbatim and not words and len(simple.outputs) == 1 and not simple.conditional
    if text and not text.endswith("\n"):
        text += "\n"
    appends = simple.appends or (step.name == "tee" and any(word.text in ("-a", "--append") for word in words))
    for target in operands if step.name == "tee" else simple.outputs:
        if not target.certain or target.text.startswith("/dev/"):
            continue
        if appends:
            yield PathChange(target.text, Append(text))
        elif text is not None or (step.name == "cat" and operands):
            yield PathChange(target.text, Write(text, verbatim and step.name == "cat"))


def _moved(words: Sequence[Word]) -> Iterator[PathChange]:
    files = [word for word in words if not word.text.startswith("-")]
    if len(files) < 2 or not all(word.certain for word in files):
        return
    target = files[-1].text
    folder = len(files) > 2 or target.endswith("/") or ("." in files[0].text and "." not in target.rsplit("/")[-1])
    for word in files[:-1]:
        base = word.text.rstrip("/").rsplit("/", 1)[-1]
        yield PathChange(f"{target.rstrip('/')}/{base}" if folder else target, Rename(word.text))


def _git(step: ShellStep) -> Iterator[ShellEffect]:
    git = read_git(step.words[1:])
    match git.verb:
        case "mv":
            yield from _moved(git.words)
        case "rm" if "--cached" not in git.texts:
            yield from (PathChange(text, Delete()) for text in git.texts if not text.startswith("-"))
        case "apply" | "am" if step.simple.heredoc and not {"--check", "--stat", "--cached"} & set(git.texts):
            yield from _patch(step.simple.heredoc)
        case _:
            yield from git_records(git)


def only_move(command: str) -> tuple[str, str] | None:
    """The old and the new path of the one file that a command renames, if that is all the command does."""
    script = steps(command) if "mv" in command else None
    if script is None or len(script) != 1 or script[0].simple.outputs or script[0].simple.conditional:
        return None
    match tuple(effects(script[0])):
        case (PathChange(target, Rename(source)),) if _FILE.fullmatch(source) and _FILE.fullmatch(target):
            return join("", source), join("", target)
    return None


def written_texts(command: str) -> dict[str, str]:
    """The texts that a command writes to files exactly as it spells them, by path."""
    if powershell.looks_like(command):
        here = powershell.here_string(command)
        return {join("", here.path): here.text} if here and here.path else {}
    found: dict[str, str] = {}
    folder = ""
    for step in (steps(command) or ()) if "<<" in command else ():
        if step.name == "cd" and len(step.words) == 2:
            folder = join(folder, step.words[1].text)
        for effect in effects(step):
            match effect:
                case PathChange(path, Write(str(text), True)):
                    found[join(folder, path)] = text
    return found
