"""Git commands: the files that one changes, what it restores or records, and what the output of a commit shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from prunus.calls.changes import patched_files
from prunus.shell.changes import (
    NOTHING,
    WILD,
    Changes,
    Incidental,
    Record,
    Restore,
    Stash,
    each,
    is_file,
    letters,
    operands,
    value_of,
)
from prunus.shell.changing import move, remove
from prunus.shell.words import Simple, Word

_KEPT_STASHES: Final = frozenset({"list", "show", "drop", "clear", "create"})
_KEEPING_VERBS: Final = """
    annotate archive blame branch bundle cat-file check-attr check-ignore check-ref-format cherry clone
    commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool fetch
    for-each-ref format-patch fsck gc grep hash-object help init interpret-trailers log ls-files ls-remote ls-tree
    maintenance merge-base name-rev notes pack-refs prune push range-diff reflog remote request-pull reset rev-list
    rev-parse shortlog show show-branch show-ref stash status symbolic-ref tag update-index update-ref var
    verify-commit verify-tag version whatchanged worktree write-tree
"""
"""Verbs that leave the files of the working folder alone."""
_KEEPING: Final = frozenset(_KEEPING_VERBS.split())
_CHECKED_PATCH: Final = frozenset({"--check", "--stat", "--numstat", "--cached"})


def git_changes(words: Sequence[Word], simple: Simple) -> Changes:
    """The files in the working folder that a git command changes, and what it restores, records or stashes."""
    at = 0
    folder = ""
    while at < len(words) and words[at].text.startswith("-"):
        if words[at].text == "-C" and at + 1 < len(words):
            folder = words[at + 1].text
        at += 2 if words[at].text in ("-C", "-c") else 1
    if at >= len(words):
        return NOTHING
    found = _changes(words[at].text, words[at + 1 :], simple)
    return found.below(folder) if folder else found


def _changes(verb: str, words: Sequence[Word], simple: Simple) -> Changes:
    texts = [word.text for word in words]
    plain = tuple(text for text in texts if not text.startswith("-"))
    match verb:
        case "add":
            everything = not plain or {"-A", "--all", "-u"} & set(texts)
            return Changes(git=Record((".",) if everything else plain, "index"))
        case "commit":
            return Changes(git=Record((".",), "head"))
        case "checkout":
            return _checked_out(words)
        case "restore":
            return _restored(words)
        case "reset" if {"--hard", "--merge", "--keep"} & set(texts):
            return WILD._replace(git=Restore((".",), "head" if not plain or plain[0] == "HEAD" else "other"))
        case "stash" if texts[:1] and texts[0] in _KEPT_STASHES:
            return NOTHING
        case "stash" if not plain or plain[0] in ("push", "save"):
            return WILD._replace(git=Stash())
        case "stash":
            return WILD._replace(git=Stash(pop=True)) if plain[0] in ("pop", "apply") else WILD
        case "clean":
            return NOTHING if "n" in letters(words) or "--dry-run" in texts else WILD
        case "apply" | "am":
            if _CHECKED_PATCH & set(texts):
                return NOTHING
            parts = patched_files(simple.heredoc or "")
            return Changes(patch=parts, wild=not parts or not all(part.sound for part in parts))
        case "switch":
            return NOTHING if _starts_here(words, "-c", "-C", "--orphan") else WILD
        case "mv":
            return move(words, simple)
        case "rm":
            return NOTHING if "--cached" in texts else remove(words, simple)
    return NOTHING if verb in _KEEPING else WILD


def _starts_here(words: Sequence[Word], *flags: str) -> bool:
    """Whether a new branch starts at the commit that is checked out, so that no file changes."""
    name = value_of(words, *flags)
    return name is not None and {word.text for word in operands(words)} <= {name.text, "HEAD"}


def _checked_out(words: Sequence[Word]) -> Changes:
    """A checkout of files or of a branch.

    A branch and a file look alike; without `--`, only a word that looks like a path is taken for one.
    """
    texts = [word.text for word in words]
    if _starts_here(words, "-b", "-B", "--orphan"):
        return NOTHING
    at = texts.index("--") if "--" in texts else len(texts)
    plain = [word for word in words[:at] if not word.text.startswith("-")]
    if at < len(texts):
        names, refs = list(words[at + 1 :]), plain
        found = each(names, Incidental())
    else:
        names = [word for word in plain if word.text == "." or re.search(r"\.\w{1,9}$|/$", word.text)]
        refs = [word for word in plain if word not in names]
        files = [word for word in names if is_file(word.text) and word.certain]
        # `git checkout REF path` and `git checkout branch` look alike.
        found = each(files, Incidental())._replace(wild=not files or bool(refs) or len(files) < len(names))
    if not names or (refs and texts.index(refs[0].text) > texts.index(names[0].text)):
        return found
    to: Literal["index", "head", "other"] = "other" if refs else "index"
    if [ref.text for ref in refs] == ["HEAD"]:
        to = "head"
    return found._replace(git=Restore(tuple(word.text for word in names), to))


def _restored(words: Sequence[Word]) -> Changes:
    """A restore of files; with `--staged` alone the working folder stays as it is."""
    texts = [word.text for word in words]
    staged = not {"--staged", "-S"}.isdisjoint(texts)
    if staged and {"--worktree", "-W"}.isdisjoint(texts):
        return NOTHING
    names = operands(words, frozenset({"-s", "--source"}))
    source = next((text[9:] for text in texts if text.startswith("--source=")), "")
    source = next((texts[at + 1] for at, text in enumerate(texts[:-1]) if text in ("-s", "--source")), source)
    to: Literal["index", "head", "other"] = "head" if staged else "index"
    if source:
        to = "head" if source == "HEAD" else "other"
    found = each(names, Incidental())
    return found._replace(git=Restore(tuple(word.text for word in names), to)) if names else found


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
