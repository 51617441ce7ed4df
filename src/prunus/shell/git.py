"""What git prints, asked which files it or a hook of a commit has changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["hooks_kept_files", "named_by_git"]

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
    """Whether it is certain that no hook of a commit has left a file changed."""
    if "Reverting to original state because of errors" in output:
        # lint-staged puts everything back where a task has failed.
        return "[FAILED] Reverting" not in output
    made = _COMMITTED.search(output)
    if made is None:
        return False
    before, after = _others(output[: made.start()]), _others(output[made.start() :])
    return not before.strip() and not _HOOKS.search(after)


def _others(output: str) -> str:
    """What neither git prints nor a hook that changed nothing."""
    lines = (line for line in output.split("\n") if not _GIT.fullmatch(line) and not _HARMLESS.fullmatch(line))
    return "\n".join(lines)


_UP_TO_DATE: Final = re.compile(
    r"^(?:Already up.to.date\.|Current branch \S+ is up to date\.|Already on '.*')$", re.M
)
_CHANGED_FILE: Final = re.compile(r"^ (\S(?:.*?[^ \n])??) +\| +(?:\d+ [+-]*|Bin .*)$", re.M)
_COUNT: Final = re.compile(r"^ (\d+) files? changed", re.M)


def named_by_git(words: Sequence[str], output: str) -> tuple[str, ...] | None:
    """The files that a command such as `git pull` says it has changed; None if it does not say."""
    if words[:1] == ["stash"]:
        return () if "No local changes to save" in output and "pop" not in words else None
    if not words or words[0] not in ("pull", "merge", "checkout", "switch", "rebase"):
        return None
    if _UP_TO_DATE.search(output):
        return ()
    files, counts = _CHANGED_FILE.findall(output), _COUNT.findall(output)
    if words[0] in ("pull", "merge") and "Fast-forward" in output and counts == [str(len(files))]:
        return None if any("..." in file or "=>" in file for file in files) else tuple(files)
    return None
