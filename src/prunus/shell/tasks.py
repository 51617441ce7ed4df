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
_ALL_RUNNERS: Final = frozenset({*_RUNNERS, *_PACKAGE_RUNNERS, "python", "python3"})
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
_HARMLESS_TASKS: Final = """
    --help --version -V -h -v add analyze audit bench bin build cache check ci clean clippy compile compose config
    console coverage dev dirhtml doc docs doctor down e2e env exec freeze get html i images info init inspect
    install linkcheck list lock logs ls metadata mod outdated pack ping pip prefix preview ps publish remove
    restore rm root routes run search serve server show spec start stop sync test tests tree tsc type-check
    typecheck types uninstall up update upgrade venv version vet view watch why
"""
_HARMLESS: Final = re.compile(
    rf"(?:pre|post)?(?:{'|'.join(_HARMLESS_TASKS.split())}|(?:format|fmt|lint|prettier|style)[:-]check)(?:[:-][\w:.-]*)?"
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
    at = 0
    while at < len(words) and base_name(words[at].text) in _ALL_RUNNERS:
        behind = _behind_runner(words, at)
        if behind == at:
            break
        at = behind
    return words[at:]


def _behind_runner(words: Sequence[Word], at: int) -> int:
    """Where the command starts that a runner at this place runs; the same place if it runs none."""
    name = base_name(words[at].text)
    if (valued := _RUNNERS.get(name)) is not None:
        if name == "command" and words[at + 1 : at + 2] and words[at + 1].text in ("-v", "-V"):
            return at
        behind = _behind_flags(words, at + 1, valued)
        while behind < len(words) and _SETTING.match(words[behind].text):
            behind += 1
        return behind + (name == "timeout" and behind < len(words))
    if name in ("python", "python3"):
        return at + 2 if len(words) - at > 2 and words[at + 1].text == "-m" else at
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
