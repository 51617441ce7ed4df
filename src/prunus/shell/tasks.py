"""Programs that run others: the tasks on their command lines, and what a task does to files by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from prunus.calls.changes import Unclear
from prunus.shell.changes import NOTHING, WILD, Changes, PathChange
from prunus.shell.formatters import FORMATTERS, formatter_changes
from prunus.shell.words import Simple, Word

ProgramKind = Literal["reads", "works", "rewrites", "unknown"]
"""What a program does to files that it is not given by name: a program that *reads* changes none, one that *works*
(tests, builds, installs) leaves sources alone, one that *rewrites* may change any."""

_MANAGERS: Final = frozenset({"npm", "pnpm", "yarn", "bun", "uv", "poetry", "pipenv", "hatch", "pdm", "bundle"})
_RUN_WORDS: Final = frozenset({"exec", "run", "dlx", "tool", "x"})
MOST_ECHOED: Final = 50
"""Commands that one task runs; each is read beside the whole output."""
ECHOED: Final = re.compile(r"^(?:> |\$ )(?![\w@/.-]+@[\w.-]+ )(\S.*)$", re.M)
"""Package managers print the command of a task before they run it."""
_WORKSPACE: Final = frozenset(
    {"-w", "--workspace", "--filter", "-F", "--prefix", "-C", "--dir", "--cwd", "-p", "--package"}
)
_CHECKS: Final = frozenset({"--check", "--dry-run"})
_HARMLESS: Final = re.compile(
    r"(?:pre|post)?(?:test|tests|build|dev|start|serve|preview|typecheck|type-check|types|tsc|e2e|coverage|bench|watch"
    r"|install|ci|i|audit|outdated|ls|list|view|run|exec|why|init|config|root|bin|prefix|cache|ping|version|info|pack"
    r"|check|vet|mod|doc|env|get|clippy|metadata|tree|search|update|up|down|ps|logs|compose|images|inspect|stop|rm"
    r"|html|dirhtml|linkcheck|docs|sync|pip|venv|lock|show|freeze|uninstall|add|remove|clean|--version|-v|-V|--help|-h"
    r"|(?:format|fmt|lint|prettier|style)[:-]check)"
    r"(?:[:-][\w:.-]*)?"
)
"""Tasks that leave sources alone."""
_FORMATTING: Final = re.compile(r"(?:format|fmt|lint|prettier|fix|style)(?![:-]check)(?:[:-][\w:.-]*)?")
"""Tasks that may rewrite sources in one style."""
_GO_MODULES: Final = ("go.mod", "go.sum", "go.work")


def without_runners(words: Sequence[Word]) -> Sequence[Word]:
    """A command without the runners in front, such as sudo, env or npx."""
    at, size = 0, len(words)
    while at < size:
        first = words[at].text
        if first in ("sudo", "command", "nohup", "exec", "builtin", "time", "rtk", "npx", "bunx", "uvx"):
            at += 1
            while at < size and words[at].text.startswith("-"):
                at += 2 if first == "sudo" and words[at].text in ("-u", "-g") else 1
        elif first == "env":
            at += 1
            while at < size and "=" in words[at].text:
                at += 1
        elif (first == "timeout" and size - at > 2) or (
            first in ("python", "python3") and size - at > 2 and words[at + 1].text == "-m"
        ):
            at += 2
        elif first in _MANAGERS and size - at > 2 and words[at + 1].text in _RUN_WORDS:
            if words[at + 1].text == "run" and first in ("npm", "pnpm", "yarn", "bun"):
                break
            at += 2
        else:
            break
    return words[at:]


def tasks_of(words: Sequence[Word]) -> list[str]:
    """The words that are neither flags nor values of the flags that name a workspace."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip or word.text.startswith("-"):
            skip = not skip and word.text in _WORKSPACE
            continue
        found.append(word.text)
    return found


def task_of(words: Sequence[Word]) -> str:
    """The task that a package manager is told to run."""
    tasks = tasks_of(words)
    return tasks[1] if tasks[:1] == ["run"] and len(tasks) > 1 else tasks[0] if tasks else ""


def is_harmless(task: str) -> bool:
    """Whether a task leaves sources alone."""
    return not task or _HARMLESS.fullmatch(task) is not None


def formats(tasks: Sequence[str], words: Sequence[Word] = ()) -> bool:
    """Whether one of these tasks may rewrite sources in one style, unless the command line only checks them."""
    return any(map(_FORMATTING.fullmatch, tasks)) and _CHECKS.isdisjoint(word.text for word in words)


def manager_changes(words: Sequence[Word], simple: Simple, manifest: str = "") -> Changes:
    """A package manager: a task may format, and adding a package changes the manifest."""
    if formats([task_of(words)], words):
        return WILD
    match tasks_of(words):
        case ["add" | "remove" | "uninstall" | "rm", *_] | ["install" | "i", _, *_] if manifest:
            everywhere = any(word.text == "-g" for word in words)
            return NOTHING if everywhere else Changes((PathChange(manifest, Unclear()),))
    return NOTHING


def maker_changes(words: Sequence[Word], simple: Simple) -> Changes:
    """A runner of tasks such as `make`, each of which may format."""
    return WILD if formats(tasks_of(words), words) else NOTHING


def go_changes(words: Sequence[Word], simple: Simple) -> Changes:
    """The tool of Go: it formats, and it keeps the files that describe a module."""
    if tasks_of(words)[:1] in (["mod"], ["get"], ["work"]):
        return Changes(wild=True, folders=_GO_MODULES)
    return formatter_changes(FORMATTERS["go"], words, simple)


def kind_of_all(tasks: Sequence[str]) -> ProgramKind:
    """What a program does that runs every task that it is given."""
    return "works" if tasks and all(map(is_harmless, tasks)) else "rewrites"


def kind_of_first(tasks: Sequence[str]) -> ProgramKind:
    """What a program does whose first word is its task."""
    return "works" if not tasks or is_harmless(tasks[0]) else "rewrites"


def kind_of_prisma(tasks: Sequence[str]) -> ProgramKind:
    return "rewrites" if tasks[:1] == ["format"] else "works"


def kind_of_agent(tasks: Sequence[str]) -> ProgramKind:
    """What the command line of a coding agent does: all but a few tasks let the agent work."""
    return "reads" if tasks[:1] in (["export"], ["session"], ["stats"], ["models"], ["mcp"]) else "rewrites"
