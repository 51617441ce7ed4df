"""Formatters, and tasks that may run a formatter.

For each command line this module says which files a formatter rewrites, and for which file endings it shows that
the project has a formatter or a linter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from prunus.calls.paths import Names, join
from prunus.shell.changing import FILE, NOTHING, WILD, Changed
from prunus.shell.words import Word

_SCRIPTS: Final = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte")
_SHEETS: Final = (".css", ".scss", ".less")
BIOME: Final = (*_SCRIPTS, *_SHEETS, ".json", ".html")
"""How the names of web sources end."""


@dataclass(frozen=True, slots=True)
class Formatter:
    """One formatter."""

    flags: tuple[str, ...] = ()
    """The flags and subcommands that make the program rewrite files; empty if it always rewrites them."""
    suffixes: tuple[str, ...] | None = ()
    """The endings of the files that the program formats. Empty means any file. None means that the command line
    does not tell which files the program formats."""
    whole: bool = True
    """Whether any run of the program shows that the project uses it as a formatter. False for a program with other
    tasks, such as `go`: only its subcommand `fmt` or `format` shows that."""


def _row(flags: str = "", suffixes: tuple[str, ...] | None = (), whole: bool = True) -> Formatter:
    return Formatter(tuple(flags.split()), suffixes, whole)


FORMATTERS: Final[dict[str, Formatter]] = {
    "autopep8": _row("-i --in-place", (".py",)),
    "biome": _row("--write --apply --fix", BIOME),
    "black": _row("", (".py", ".pyi")),
    "clang-format": _row("-i", (".c", ".h", ".cc", ".cpp", ".hpp", ".m", ".mm")),
    "dart": _row("format", (".dart",), whole=False),
    "dotnet": _row("format", None),
    "eslint": _row("--fix", _SCRIPTS),
    "go": _row("fmt", (".go",), whole=False),
    "gofmt": _row("-w", (".go",)),
    "gofumpt": _row("-w", (".go",)),
    "goimports": _row("-w", (".go",)),
    "isort": _row("", (".py", ".pyi")),
    "mix": _row("format", (".ex", ".exs", ".heex"), whole=False),
    "oxlint": _row("--fix", _SCRIPTS),
    "phpcbf": _row("", (".php",)),
    "prettier": _row("--write -w", (*_SCRIPTS, *_SHEETS, ".json", ".html", ".md", ".yaml", ".yml")),
    "rubocop": _row("-a -A --autocorrect --auto-correct", (".rb",)),
    "ruff": _row("format --fix", (".py", ".pyi", ".ipynb")),
    "rustfmt": _row("", (".rs",)),
    "shfmt": _row("-w", (".sh", ".bash")),
    "standard": _row("--fix", _SCRIPTS),
    "stylelint": _row("--fix", _SHEETS),
    "swiftformat": _row("", (".swift",)),
    "terraform": _row("fmt", (".tf", ".tfvars"), whole=False),
    "yapf": _row("-i", (".py",)),
}
_CARGO: Final = Formatter(("fmt",), (".rs",), whole=False)
"""`cargo fmt`. The table does not list cargo, because cargo is a package manager as well."""
_WEB: Final = frozenset({"prettier", "biome", "eslint", "oxlint", "standard", "stylelint"})
"""Formatters that format the files which their settings name, whatever the endings of these files are."""
# Not -l: beside the flag that writes, gofmt and its like only list what they rewrite; to black it is a line length.
_CHECKS: Final = frozenset({"--check", "--diff", "--check-only", "--dry-run", "--lint", "-check"})
_SUBCOMMANDS: Final = frozenset({"format", "fmt", "check", "lint"})
_SWITCHES: Final = frozenset({"--write", "-w", "--fix", "-l", "-s", "-d", "-i", "-q", "--quiet", "-a", "-A", "--"})
"""Flags that take no value."""
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
_WORKSPACE: Final = frozenset(
    {"-w", "--workspace", "--filter", "-F", "--prefix", "-C", "--dir", "--cwd", "-p", "--package"}
)
FORMATTING_TASK: Final = re.compile(r"(?:format|fmt|lint|prettier|fix|style)(?:[:-][\w:.-]*)?")
"""Tasks that may rewrite sources in one style."""


def formatter_changes(name: str, words: Sequence[Word]) -> Changed:
    """Return the files that a formatter rewrites: the files on its command line, or any file if it names none."""
    row = FORMATTERS[name]
    texts = {word.text for word in words}
    if (row.flags and texts.isdisjoint(row.flags)) or not _CHECKS.isdisjoint(texts):
        return NOTHING
    given, _ = _given_files(words)
    if given and all(word.certain and FILE.fullmatch(word.text) for word in given):
        return Changed(tuple(given))
    return WILD


@dataclass(frozen=True, slots=True)
class FormatterRun:
    """One run of a formatter.

    The formatter does not change a file again that it formatted before and that nobody has changed since.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    """The endings of the files that it formats; empty means any file."""
    names: tuple[str, ...] = ()
    """The files and folders on its command line; empty means all files."""
    _given: Names = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_given", Names(self.names))

    def covers(self, path: str) -> bool:
        """Whether the formatter went over this file."""
        if self.suffixes and not path.endswith(self.suffixes):
            return False
        return not self.names or self._given.mean(path) or self._given.hold(path)


def formatter_run(name: str, words: Sequence[Word], folder: str) -> FormatterRun | None:
    """Return the run of a formatter that rewrites files; None if the program is not a formatter."""
    row = _CARGO if name == "cargo" else FORMATTERS.get(name)
    if row is not None and row.suffixes is not None:
        given, perhaps = _given_files(words[1:])
        files = given + perhaps if given else []
        names = tuple(dict.fromkeys(join(folder, _folder(word.text)) for word in files))
        suffixes = () if name in _WEB else row.suffixes
        return FormatterRun(name, suffixes, () if "." in names or "" in names else names)
    texts = [word.text for word in words]
    formats = name in ("make", "just") and any(map(FORMATTING_TASK.fullmatch, texts[1:]))
    return FormatterRun("make") if formats else None


def styled_suffixes(name: str, words: Sequence[Word]) -> tuple[str, ...]:
    """Return the endings of the files for which this command shows that the project has a formatter or a linter."""
    row = _CARGO if name == "cargo" else FORMATTERS.get(name)
    if row is None or row.suffixes is None:
        return ()
    return row.suffixes if row.whole or {"fmt", "format", "clippy"} & {w.text for w in words[1:2]} else ()


def _given_files(words: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """The files and folders that a formatter is given, and words that are more of them or the values of flags."""
    given: list[Word] = []
    perhaps: list[Word] = []
    before = ""
    for word in words:
        text = word.text
        if not text.startswith("-") and text not in _SUBCOMMANDS and not text.isdigit():
            (perhaps if before.startswith("-") and before not in _SWITCHES else given).append(word)
        before = text
    return given, perhaps


def _folder(text: str) -> str:
    """The folder below which a pattern matches; a plain path is itself."""
    if (at := re.search(r"[*?\[{$`]", text)) is not None:
        return text[: text.rfind("/", 0, at.start()) + 1].rstrip("/") or "."
    return (text.removesuffix("...").rstrip("/") or ".") if text.endswith("...") else text


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
