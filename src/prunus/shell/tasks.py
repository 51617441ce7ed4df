"""Programs that run others: the tasks on their command lines, and what a task does to files by its name."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Final, Literal

from prunus.calls.changes import Unclear
from prunus.shell.changes import NOTHING, WILD, Changes, PathChange
from prunus.shell.formatters import FORMATTERS, formatter_changes
from prunus.shell.words import Simple, Word

ProgramKind = Literal["reads", "works", "rewrites"]
"""What a program does to files that it is not given by name: a program that *reads* changes none, one that *works*
(tests, builds, installs) leaves sources alone, one that *rewrites* may change any."""

_PACKAGE_RUNNERS: Final = frozenset(
    {"npm", "pnpm", "yarn", "bun", "uv", "poetry", "pipenv", "pipx", "hatch", "pdm", "bundle", "coverage"}
)
_RUN_WORDS: Final = frozenset({"exec", "run", "dlx", "x"})
_RUNNERS: Final[dict[str, frozenset[str]]] = {
    name: frozenset(valued.split())
    for name, valued in {
        **dict.fromkeys(("builtin", "command", "cross-env", "nohup", "rtk", "setsid", "unbuffer", "bunx"), ""),
        "caffeinate": "-t",
        "doas": "-u",
        "env": "-u --unset -C --chdir",
        "exec": "-a",
        "ionice": "-c -n",
        "nice": "-n",
        "npx": "-p --package -w --workspace",
        "stdbuf": "-i -o -e",
        "sudo": "-u -g -C -D -h -p",
        "time": "-f -o",
        "timeout": "-k --kill-after -s --signal",
        "uvx": "--from --with -p --python",
        "watch": "-n --interval",
        "xvfb-run": "-n -s",
    }.items()
}
"""Programs that run the command behind them, each with its flags that take a value."""
_SETTING: Final = re.compile(r"[A-Za-z_]\w*=")
MOST_ECHOED: Final = 50
"""Commands that one task runs; each is read beside the whole output."""
ECHOED: Final = re.compile(r"^(?:> |\$ )(?![\w@/.-]+@[\w.-]+ )(\S.*)$", re.M)
"""Package managers print the command of a task before they run it."""
_WORKSPACE: Final = frozenset(
    {"-w", "--workspace", "--filter", "-F", "--prefix", "-C", "--dir", "--cwd", "-p", "--package"}
)
_RUN_VALUED: Final = _WORKSPACE | {
    "--directory", "--env-file", "--extra", "--from", "--group", "--index", "--no-group", "--project", "--python",
    "--source", "--with",
}  # fmt: skip
"""Flags with values around the word by which a package manager runs a command."""
_CHECKS: Final = frozenset({"--check", "--dry-run"})
_HARMLESS: Final = re.compile(
    r"(?:pre|post)?(?:test|tests|spec|analyze|build|dev|start|serve|preview|typecheck|type-check|types|tsc|e2e|coverage|bench|watch"
    r"|install|ci|i|audit|outdated|ls|list|view|run|exec|why|init|config|root|bin|prefix|cache|ping|version|info|pack|publish"
    r"|restore"
    r"|check|compile|vet|mod|doc|env|get|clippy|metadata|tree|search|update|upgrade|up|down|ps|logs|compose|images|inspect|stop|rm"
    r"|html|dirhtml|linkcheck|docs|sync|pip|venv|lock|show|freeze|uninstall|add|remove|clean|doctor|server|console|routes|--version|-v|-V|--help|-h"
    r"|(?:format|fmt|lint|prettier|style)[:-]check)"
    r"(?:[:-][\w:.-]*)?"
)
"""Tasks that leave sources alone."""
_FORMATTING: Final = re.compile(r"(?:format|fmt|lint|prettier|fix|style)(?![:-]check)(?:[:-][\w:.-]*)?")
"""Tasks that may rewrite sources in one style."""
_MANIFEST_TASKS: Final = frozenset(
    {"add", "remove", "uninstall", "rm", "require", "init", "version", "update", "upgrade"}
)
"""Tasks of package managers that change the file which lists the packages."""
_REWRITING: Final = re.compile(r"apply|format|fix|generate|rewrite|versions:|release:|init", re.I)
"""Parts of the names of tasks that may rewrite sources."""
_GO_MODULES: Final = ("go.mod", "go.sum", "go.work")


def base_name(text: str) -> str:
    """The name of a program without its folder, its version and the ending of Windows."""
    if text.isalnum():
        return text
    name = text.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".cmd").removesuffix(".exe")
    if name.startswith("python3."):
        return "python3"
    return name[: name.find("@", 1)] if "@" in name[1:] else name


def without_runners(words: Sequence[Word]) -> Sequence[Word]:
    """A command without the runners in front, such as sudo, env or npx."""
    at, size = 0, len(words)
    while at < size and (behind := _behind_runner(words, at)) > at:
        at = behind
    return words[at:]


def _behind_runner(words: Sequence[Word], at: int) -> int:
    """Where the command starts that a runner at this place runs; the same place if no runner stands there."""
    name = base_name(words[at].text)
    if (valued := _RUNNERS.get(name)) is not None:
        if name == "command" and words[at + 1 : at + 2] and words[at + 1].text in ("-v", "-V"):
            return at
        behind = _behind_flags(words, at + 1, valued)
        while behind < len(words) and _SETTING.match(words[behind].text):
            behind += 1
        return behind + (name == "timeout" and behind < len(words))
    if name in ("python", "python3") and len(words) - at > 2 and words[at + 1].text == "-m":
        return at + 2
    if name not in _PACKAGE_RUNNERS:
        return at
    behind = _behind_flags(words, at + 1, _RUN_VALUED)
    if [word.text for word in words[behind : behind + 2]] == ["tool", "run"]:
        behind += 1
    word = words[behind].text if behind < len(words) else ""
    if word not in _RUN_WORDS or (word == "run" and name in ("npm", "pnpm", "yarn", "bun")):
        return at
    behind = _behind_flags(words, behind + 1, _RUN_VALUED)
    return behind if behind < len(words) else at


def _behind_flags(words: Sequence[Word], at: int, valued: Container[str]) -> int:
    """The place behind the flags that start here, and behind the values of some of them."""
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in valued else 1
        if words[at - 1].text == "--":
            break
    return min(at, len(words))


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
    """A package manager: a task may format or fix sources, and many change the manifest."""
    texts = {word.text for word in words}
    if formats([task_of(words)], words) or "--fix" in texts:
        return WILD
    match tasks_of(words):
        case [task, *_] if task in _MANIFEST_TASKS and manifest:
            pass
        case ["install" | "i", _, *_] if manifest:
            pass
        case _:
            return NOTHING
    return NOTHING if "-g" in texts else Changes((PathChange(manifest, Unclear()),))


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


def kind_of_named(tasks: Sequence[str]) -> ProgramKind:
    """What a builder does whose tasks leave sources alone unless their names say otherwise, as with Gradle."""
    return "rewrites" if any(map(_REWRITING.search, tasks)) else "works"


def kind_by_name(
    tasks: Sequence[str], usual: ProgramKind, other: ProgramKind, names: Container[str]
) -> ProgramKind:
    """What a program does that treats only a few tasks in another way; a name may be two words."""
    return other if " ".join(tasks[:1]) in names or " ".join(tasks[:2]) in names else usual
