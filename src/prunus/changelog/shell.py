"""The changes that a shell command makes, as far as the command shows them.

A file that merely catches the output of a program, such as a log, is no change that anyone had a purpose for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from prunus.changelog.arguments import from_patch
from prunus.changelog.changes import Action, Change, Piece, Restore, Settle, Shelve, Unshelve
from prunus.shell import powershell
from prunus.shell.changers import bare, changed
from prunus.shell.words import Simple, Word, simples

__all__ = ["followed", "from_command", "here_string"]

_PRINTERS: Final = frozenset({"cat", "echo", "printf", "tee"})
_DOWNLOADS: Final = frozenset({"curl", "wget"})
_HERE: Final = re.compile(
    r"^\s*@(['\"])\r?\n(.*?)\r?\n\1@\s*\|\s*(?:Set-Content|Out-File)\b[^\n]*+\s*\Z", re.S | re.I
)
_APPENDED: Final = re.compile(r">>\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"';|&<>]+))")
_TROUBLE: Final = re.compile(
    r"^(?:\S+: )?(?:g?sed|perl|cp|mv|rm|tee|git|patch|error|fatal): [^\n]*"
    r"(?:can't read|cannot|No such file|not found|did not match|does not apply|patch failed|Permission denied)",
    re.M,
)


def from_command(command: str, result: str, failed: bool) -> tuple[Action, ...] | None:
    """What a command does, by the names it uses; None if all of it failed.

    A command that fails after it changed a file, such as `sed -i ... && make test`, has changed it all the same.
    """
    script = simples(command)
    if script is None:
        return None if failed else ()
    trouble = bool(_TROUBLE.search(result[-4_000:]))
    appended = frozenset(word for found in _APPENDED.findall(command) for word in found if word)
    if failed and (trouble or not any(_acts(simple, appended) for simple in script[:-1])):
        return None
    chosen = script[:-1] if failed and len(script) > 1 else script
    return tuple(action for simple in chosen for action in _acts(simple, appended))


def followed(command: str) -> bool:
    """Whether a command is in a language that is read here; what changes in others is only known by name."""
    return simples(command) is not None and not powershell.looks_like(command)


def here_string(command: str) -> str | None:
    """The text that a PowerShell command does nothing but write to a file."""
    found = _HERE.match(command)
    return f"{found[2]}\n" if found and "\n@'" not in found[2] else None


def _acts(simple: Simple, appended: frozenset[str]) -> tuple[Action, ...]:
    return tuple(_actions(simple, appended))


def _actions(simple: Simple, appended: frozenset[str]) -> Iterator[Action]:
    """What one command does; `appended` are the files behind a `>>` of the script."""
    words = bare(simple.words)
    name = words[0].text.replace("\\", "/").rsplit("/", 1)[-1] if words else ""
    texts = [word.text for word in words[1:]]
    if name == "git":
        yield from _git(words[1:], simple)
    elif name in ("apply_patch", "applypatch"):
        yield from from_patch(simple.heredoc or "\n".join(texts))
    elif name == "patch" and simple.heredoc and (patched := from_patch(simple.heredoc)):
        yield from patched
    elif name in _PRINTERS:
        yield from _printed(name, words[1:], simple, appended)
    elif name in ("mv", "move"):
        yield from _moved(words[1:])
    elif name in ("rm", "unlink", "del", "erase"):
        yield from (Change(word.text, "deleted") for word in changed(_plain(words)).files)
    elif name not in _DOWNLOADS:
        files = changed(_plain(words, simple.heredoc)).files
        yield from (Change(word.text, "edited", exact=False) for word in files)


def _plain(words: Sequence[Word], heredoc: str | None = None) -> Simple:
    """The command without its redirections."""
    return Simple("", tuple(words), heredoc=heredoc)


def _printed(name: str, words: Sequence[Word], simple: Simple, appended: frozenset[str]) -> Iterator[Change]:
    """Files that are written by `cat`, `echo`, `printf` or `tee`."""
    operands = [word for word in words if not word.text.startswith("-")]
    text = simple.heredoc
    if text is None and name in ("echo", "printf") and all(word.certain for word in operands):
        text = " ".join(word.text for word in operands) + "\n"
    elif text is not None and not text.endswith("\n"):
        text += "\n"
    targets = operands if name == "tee" else list(simple.outputs)
    appends = name == "tee" and any(word.text in ("-a", "--append") for word in words)
    for target in targets:
        if not target.certain or target.text.startswith("/dev/"):
            continue
        if appends or target.text in appended:
            pieces = () if text is None else (Piece("", text),)
            yield Change(target.text, "appended", pieces, exact=text is not None)
        elif text is not None or (name == "cat" and operands):
            yield Change(target.text, "written", whole=text, exact=text is not None)


def _moved(words: Sequence[Word]) -> Iterator[Change]:
    files = [word for word in words if not word.text.startswith("-")]
    if len(files) < 2 or not all(word.certain for word in files):
        return
    target = files[-1].text
    folder = len(files) > 2 or target.endswith("/") or ("." in files[0].text and "." not in target.rsplit("/")[-1])
    for word in files[:-1]:
        base = word.text.rstrip("/").rsplit("/", 1)[-1]
        yield Change(f"{target.rstrip('/')}/{base}" if folder else target, "renamed", source=word.text)


def _git(words: Sequence[Word], simple: Simple) -> Iterator[Action]:
    texts = [word.text for word in words]
    while texts and texts[0].startswith("-"):
        texts = texts[2:] if texts[0] in ("-C", "-c") else texts[1:]
    verb, rest = (texts[0], texts[1:]) if texts else ("", [])
    named = tuple(text for text in rest if not text.startswith("-"))
    match verb:
        case "checkout":
            yield from _checked_out(rest)
        case "restore":
            yield from _restored(rest)
        case "reset" if {"--hard", "--merge", "--keep"} & set(rest):
            yield Restore((".",), "head" if not named or named[0] == "HEAD" else "other")
        case "stash":
            if not named or named[0] in ("push", "save"):
                yield Shelve()
            elif named[0] in ("pop", "apply"):
                yield Unshelve()
        case "add":
            everything = not named or {"-A", "--all", "-u"} & set(rest)
            yield Settle((".",) if everything else named, "index")
        case "commit":
            yield Settle((".",), "head")
        case "mv":
            yield from _moved(words[len(words) - len(rest) :])
        case "rm" if "--cached" not in rest:
            yield from (Change(name, "deleted") for name in named)
        case "apply" | "am" if simple.heredoc and not {"--check", "--stat", "--cached"} & set(rest):
            yield from from_patch(simple.heredoc)


def _checked_out(rest: Sequence[str]) -> Iterator[Restore]:
    if {"-b", "-B", "--orphan"} & set(rest):
        return
    if "--" in rest:
        at = rest.index("--")
        refs, names = [text for text in rest[:at] if not text.startswith("-")], rest[at + 1 :]
    else:
        plain = [text for text in rest if not text.startswith("-")]
        # A branch and a file look alike; only what has the looks of a path is one.
        names = [text for text in plain if text == "." or re.search(r"\.\w{1,9}$|/$", text)]
        refs = [text for text in plain if text not in names]
        if names and refs and plain[0] != refs[0]:
            return
    if names:
        to: Literal["index", "head", "other"] = "index" if not refs else "head" if refs == ["HEAD"] else "other"
        yield Restore(tuple(names), to)


def _restored(rest: Sequence[str]) -> Iterator[Restore]:
    staged, worktree = {"--staged", "-S"} & set(rest), {"--worktree", "-W"} & set(rest)
    if staged and not worktree:
        return
    to: Literal["index", "head", "other"] = "head" if staged else "index"
    names: list[str] = []
    words = iter(rest)
    for word in words:
        if word in ("-s", "--source"):
            to = "head" if next(words, "") == "HEAD" else "other"
        elif word.startswith("--source="):
            to = "head" if word == "--source=HEAD" else "other"
        elif not word.startswith("-"):
            names.append(word)
    if names:
        yield Restore(tuple(names), to)
