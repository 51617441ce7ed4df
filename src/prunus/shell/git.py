"""Git commands: the files that one changes, what it restores or records, and what its output says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from prunus.shell.changing import FILE, NOTHING, WILD, Changed, letters, move, named, operands, remove
from prunus.shell.words import Simple, Word


class Git(NamedTuple):
    """One git command."""

    verb: str
    words: Sequence[Word]
    """What follows the verb."""
    folder: str = ""
    """The folder of `-C`."""

    @property
    def texts(self) -> list[str]:
        """The words as texts."""
        return [word.text for word in self.words]


def read_git(words: Sequence[Word]) -> Git:
    """The verb of a git command, from the words behind `git`."""
    at = 0
    folder = ""
    while at < len(words) and words[at].text.startswith("-"):
        if words[at].text == "-C" and at + 1 < len(words):
            folder = words[at + 1].text
        at += 2 if words[at].text in ("-C", "-c") else 1
    return Git(words[at].text, words[at + 1 :], folder) if at < len(words) else Git("", ())


def git_changes(words: Sequence[Word], simple: Simple) -> Changed:
    """The files in the working folder that a git command changes."""
    git = read_git(words)
    found = _changes(git)
    if git.folder:
        return Changed(tuple(Word(f"{git.folder}/{word.text}") for word in found.files), found.wild)
    return found


def _changes(git: Git) -> Changed:
    words, texts = git.words, git.texts
    match git.verb:
        case "checkout":
            found = _checked_out(words)
            if found is None:
                return NOTHING
            names, refs = found
            if "--" in texts:
                return named(names)
            # `git checkout REF path` and `git checkout branch` look alike.
            files = tuple(word for word in names if FILE.fullmatch(word.text) and word.certain)
            return Changed(files, wild=not files or bool(refs) or len(files) < len(names))
        case "restore":
            return NOTHING if _only_staged(texts) else named(operands(words, frozenset({"-s", "--source"})))
        case "stash":
            return NOTHING if texts[:1] and texts[0] in ("list", "show", "drop", "clear", "create") else WILD
        case "reset":
            return WILD if {"--hard", "--merge", "--keep"} & set(texts) else NOTHING
        case "clean":
            return NOTHING if "n" in letters(words) or "--dry-run" in texts else WILD
        case "apply" | "am":
            return NOTHING if {"--check", "--stat", "--numstat", "--cached"} & set(texts) else WILD
        case "switch":
            return NOTHING if {"-c", "-C"} & set(texts) else WILD
        case "pull" | "merge" | "rebase" | "cherry-pick" | "revert" | "bisect":
            return WILD
        case "mv":
            return move(words, Simple("", ()))
        case "rm":
            return NOTHING if "--cached" in texts else remove(words, Simple("", ()))
    return NOTHING


@dataclass(frozen=True, slots=True)
class Restore:
    """Git puts files back: to the staged state, to the last commit, or to another commit."""

    names: tuple[str, ...]
    """Files and folders; `.` for all."""
    to: Literal["index", "head", "other"]


@dataclass(frozen=True, slots=True)
class Record:
    """Git records changes in the index or in a commit, so that a later restore keeps them."""

    names: tuple[str, ...]
    into: Literal["index", "head"]


@dataclass(frozen=True, slots=True)
class Stash:
    """`git stash` removes all changes; `git stash pop` brings them back."""

    pop: bool = False


def git_records(git: Git) -> Iterator[Restore | Record | Stash]:
    """What a git command restores, records or stashes."""
    rest = git.texts
    plain = tuple(text for text in rest if not text.startswith("-"))
    match git.verb:
        case "checkout" if (found := _checked_out(git.words)) is not None:
            names, refs = (tuple(word.text for word in words) for words in found)
            if names and (not refs or rest.index(refs[0]) < rest.index(names[0])):
                yield Restore(names, "index" if not refs else "head" if refs == ("HEAD",) else "other")
        case "restore" if not _only_staged(rest):
            yield from _restored(rest)
        case "reset" if {"--hard", "--merge", "--keep"} & set(rest):
            yield Restore((".",), "head" if not plain or plain[0] == "HEAD" else "other")
        case "stash":
            if not plain or plain[0] in ("push", "save"):
                yield Stash()
            elif plain[0] in ("pop", "apply"):
                yield Stash(pop=True)
        case "add":
            everything = not plain or {"-A", "--all", "-u"} & set(rest)
            yield Record((".",) if everything else plain, "index")
        case "commit":
            yield Record((".",), "head")


def _checked_out(words: Sequence[Word]) -> tuple[list[Word], list[Word]] | None:
    """The files and the commits of a checkout; None if it makes a branch.

    A branch and a file look alike; only a word that looks like a path is taken for one.
    """
    texts = [word.text for word in words]
    if {"-b", "-B", "--orphan"} & set(texts):
        return None
    at = texts.index("--") if "--" in texts else len(texts)
    plain = [word for word in words[:at] if not word.text.startswith("-")]
    if at < len(texts):
        return list(words[at + 1 :]), plain
    names = [word for word in plain if word.text == "." or re.search(r"\.\w{1,9}$|/$", word.text)]
    return names, [word for word in plain if word not in names]


def _only_staged(texts: Sequence[str]) -> bool:
    """Whether a restore leaves the working folder alone."""
    return bool({"--staged", "-S"} & set(texts)) and not {"--worktree", "-W"} & set(texts)


def _restored(rest: Sequence[str]) -> Iterator[Restore]:
    to: Literal["index", "head", "other"] = "head" if {"--staged", "-S"} & set(rest) else "index"
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


_COMMITTED: Final = re.compile(r"^\[[^\]\n]+ [0-9a-f]{6,}\] ", re.M)
_HOOKS: Final = re.compile(
    r"lint-staged|husky|pre-commit|lefthook|prettier|eslint|biome|\bformat|\.{6}(?:Passed|Failed|Skipped)"
    r"|^\[(?:STARTED|COMPLETED|FAILED|SKIPPED)\]|^[✔✖]",
    re.I | re.M,
)
_GIT: Final = re.compile(
    r"rm '.*'|On branch .*|Your branch .*|HEAD detached .*|nothing to commit.*|no changes added .*"
    r"|Changes (?:to be|not staged).*|Untracked files:.*|\t.*| {2,}\(use .*|[ MADRCU?!]{2} \S.*"
    r"|\[[^\]\n]+ [0-9a-f]{6,}\] .*| \d+ files? changed.*| (?:create|delete) mode .*| mode change .*"
    r"| (?:rename|copy|rewrite) .*| (?:Author|Date): .*|warning: (?:in the working copy|LF will|CRLF will).*"
    r"|The file will have its original line endings.*|Exit code \d+|[0-9a-f]{7,} .*"
)
"""Lines that git itself prints for a commit, and for `rm`, `status` and `log --oneline` around it."""
_HARMLESS: Final = re.compile(
    r".*\.{3}(?:\([^()]*\))?(?:Passed|Skipped)|\[(?:INFO|WARNING)\] .*"
    r"|(?:→ )?lint-staged could not find any staged files.*"
)
"""Lines of hooks that changed nothing: the framework `pre-commit` calls one failed that has changed a file."""


def hooks_kept_files(output: str) -> bool:
    """Whether the output of a commit shows that no hook has left a file changed."""
    if "Reverting to original state because of errors" in output:
        # lint-staged puts everything back where a task has failed.
        return "[FAILED] Reverting" not in output
    made = _COMMITTED.search(output)
    if made is None:
        return False
    before, after = _others(output[: made.start()]), _others(output[made.start() :])
    return not before.strip() and not _HOOKS.search(after)


def _others(output: str) -> str:
    """The lines that are neither from git nor from a hook that changed nothing."""
    lines = (line for line in output.split("\n") if not _GIT.fullmatch(line) and not _HARMLESS.fullmatch(line))
    return "\n".join(lines)
