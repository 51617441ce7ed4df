"""Formatters.

For each command line this module says which files a formatter rewrites, and for which file endings it shows that
the project has a formatter or a linter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from prunus.calls.changes import Unclear
from prunus.calls.paths import Names, join
from prunus.shell.changes import NOTHING, WILD, Changes, each, is_file
from prunus.shell.words import Simple, Word

_SCRIPTS: Final = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte")
_SHEETS: Final = (".css", ".scss", ".less")
BIOME: Final = (*_SCRIPTS, *_SHEETS, ".json", ".html")
"""How the names of web sources end."""


@dataclass(frozen=True, slots=True)
class Formatter:
    """One formatter."""

    flags: str = ""
    """The flags and subcommands that make the program rewrite files; empty if it always rewrites them."""
    suffixes: tuple[str, ...] | None = ()
    """The endings of the files that the program formats. Empty means any file. None means that the command line
    does not tell which files the program formats."""
    whole: bool = True
    """Whether any run of the program shows that the project uses it as a formatter. False for a program with other
    tasks, such as `go`: only its subcommand `fmt` or `format` shows that."""


FORMATTERS: Final[dict[str, Formatter]] = {
    "autopep8": Formatter("-i --in-place", (".py",)),
    "biome": Formatter("--write --apply --fix", BIOME),
    "black": Formatter("", (".py", ".pyi")),
    "cargo": Formatter("fmt", (".rs",), whole=False),
    "clang-format": Formatter("-i", (".c", ".h", ".cc", ".cpp", ".hpp", ".m", ".mm")),
    "dart": Formatter("format fix", (".dart",), whole=False),
    "dotnet": Formatter("format add remove new sln", None),
    "eslint": Formatter("--fix", _SCRIPTS),
    "go": Formatter("fmt", (".go",), whole=False),
    "gofmt": Formatter("-w", (".go",)),
    "gofumpt": Formatter("-w", (".go",)),
    "goimports": Formatter("-w", (".go",)),
    "isort": Formatter("", (".py", ".pyi")),
    "mix": Formatter("format", (".ex", ".exs", ".heex"), whole=False),
    "oxlint": Formatter("--fix", _SCRIPTS),
    "phpcbf": Formatter("", (".php",)),
    "prettier": Formatter("--write -w", (*_SCRIPTS, *_SHEETS, ".json", ".html", ".md", ".yaml", ".yml")),
    "rubocop": Formatter("-a -A --autocorrect --auto-correct", (".rb",)),
    "ruff": Formatter("format --fix --fix-only", (".py", ".pyi", ".ipynb")),
    "rustfmt": Formatter("", (".rs",)),
    "shfmt": Formatter("-w", (".sh", ".bash")),
    "standard": Formatter("--fix", _SCRIPTS),
    "stylelint": Formatter("--fix", _SHEETS),
    "swiftformat": Formatter("", (".swift",)),
    "terraform": Formatter("fmt", (".tf", ".tfvars"), whole=False),
    "yapf": Formatter("-i", (".py",)),
}
_WEB: Final = frozenset({"prettier", "biome", "eslint", "oxlint", "standard", "stylelint"})
"""Formatters that format the files which their settings name, whatever the endings of these files are."""
# Not -l: beside the flag that writes, gofmt and its like only list what they rewrite; to black it is a line length.
_CHECKS: Final = frozenset({"--check", "--diff", "--check-only", "--dry-run", "--lint", "-check"})
_SUBCOMMANDS: Final = frozenset({"format", "fmt", "check", "lint"})
_SWITCHES: Final = frozenset({"--write", "-w", "--fix", "-l", "-s", "-d", "-i", "-q", "--quiet", "-a", "-A", "--"})
"""Flags that take no value."""


def _rewrites(row: Formatter, words: Sequence[Word]) -> bool:
    texts = {word.text for word in words}
    return not (row.flags and texts.isdisjoint(row.flags.split())) and _CHECKS.isdisjoint(texts)


def formatter_changes(row: Formatter, words: Sequence[Word], simple: Simple) -> Changes:
    """Return the files that a formatter rewrites: the files on its command line, or any file if it names none."""
    if not _rewrites(row, words):
        return NOTHING
    given, _ = _given_files(words)
    if given and all(word.certain and is_file(word.text) for word in given):
        return each(given, Unclear())
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


def formatter_run(name: str, row: Formatter, words: Sequence[Word], folder: str) -> FormatterRun | None:
    """Return the run of a formatter; None if it rewrites no file, or its command line does not tell which files."""
    if row.suffixes is None or not _rewrites(row, words):
        return None
    given, perhaps = _given_files(words)
    files = given + perhaps if given else []
    names = tuple(dict.fromkeys(join(folder, _folder(word.text)) for word in files))
    suffixes = () if name in _WEB else row.suffixes
    return FormatterRun(name, suffixes, () if "." in names or "" in names else names)


def styled_suffixes(row: Formatter, words: Sequence[Word]) -> tuple[str, ...]:
    """Return the endings of the files for which this command shows that the project has a formatter or a linter."""
    shows = row.whole or not {"fmt", "format", "clippy"}.isdisjoint(word.text for word in words[:1])
    return row.suffixes or () if shows else ()


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
