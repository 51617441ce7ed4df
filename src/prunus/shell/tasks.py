"""Tasks of package managers and build tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from prunus.shell.words import Word

PACKAGE_MANAGERS: Final = frozenset({"npm", "pnpm", "yarn", "bun"})
MOST_ECHOED: Final = 50
"""Commands that one task runs; each is read beside the whole output."""
HARMLESS_TASK: Final = re.compile(
    r"(?:pre|post)?(?:test|tests|build|dev|start|serve|preview|typecheck|type-check|types|tsc|e2e|coverage|bench|watch"
    r"|install|ci|i|audit|outdated|ls|list|view|run|exec|why|init|config|root|bin|prefix|cache|ping|version|info|pack"
    r"|check|vet|mod|doc|env|get|clippy|metadata|tree|search|update|up|down|ps|logs|compose|images|inspect|stop|rm"
    r"|html|dirhtml|linkcheck|docs|sync|pip|venv|lock|show|freeze|uninstall|add|remove|clean|--version|-v|-V|--help|-h)"
    r"(?:[:-][\w:.-]*)?"
)
"""Tasks that leave sources alone."""
ECHOED: Final = re.compile(r"^(?:> |\$ )(?![\w@/.-]+@[\w.-]+ )(\S.*)$", re.M)
"""Package managers print the command of a task before they run it."""
NOTHING_FIXED: Final = re.compile(r"No fixes applied\.(?!.*Fixed \d)|fixable with the `--fix` option", re.S)
"""Said by linters that were not told to fix anything, or found nothing to fix."""
_VALUED: Final = frozenset(
    {"-w", "--workspace", "--filter", "-F", "--prefix", "-C", "--dir", "--cwd", "-p", "--package"}
)


def tasks_of(words: Sequence[Word]) -> list[str]:
    """The words that are neither flags nor values of the flags that name a workspace."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip or word.text.startswith("-"):
            skip = not skip and word.text in _VALUED
            continue
        found.append(word.text)
    return found


def task_of(words: Sequence[Word]) -> str:
    """The task that a package manager is told to run."""
    tasks = tasks_of(words)
    return tasks[1] if tasks[:1] == ["run"] and len(tasks) > 1 else tasks[0] if tasks else ""
